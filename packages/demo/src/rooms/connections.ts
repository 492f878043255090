import { demoConnections } from '../fixtures.ts'
import { keyHash } from '../fleet.ts'
import type { Seeder } from '../seeding.ts'

const day = 86_400_000

/** Connections of one client. Their sensors send the first messages when the simulator starts, and wait to be added. */
export const seedConnections: Seeder = async ({ client, write, connections, downlinkTokens, world: { plan }, now }) => {
  if (plan.id !== demoConnections.tenant) return
  const madeAt = new Date(now - 3 * day)
  await write(
    'connection',
    [
      ...['id', 'kind', 'transport', 'name', 'key_ending', 'key_created_at', 'created_at', 'created_by'],
      ...['downlink', 'downlink_token'],
    ],
    connections.map(({ connectionId, kind, key }) => [
      ...[connectionId, kind, 'webhook', demoConnections[kind], key.slice(-4), madeAt, madeAt, 'Priya Nair'],
      ...(downlinkTokens.has(connectionId)
        ? [{ url: demoConnections.api }, downlinkTokens.get(connectionId)]
        : [null, null]),
    ]),
  )
  await write(
    'connection_activity',
    ['connection_id'],
    connections.map(({ connectionId }) => [connectionId]),
  )
  for (const { connectionId, key } of connections)
    await client.query('insert into connection_route (connection_id, tenant_id, key_hash) values ($1, $2, $3)', [
      ...[connectionId, plan.id, keyHash(key)],
    ])
}
