import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { usePresence } from '../../../api/actor.ts'
import { usePageTitle } from '../../../api/page-title.ts'
import { PageHead } from '../../../ui/page-head.tsx'
import { NotFound } from '../../../ui/states.tsx'
import { connectionsPath } from '../addresses.ts'
import { Chip } from '../chips.tsx'
import { connectionMessagesQuery, connectionsQuery } from '../queries.ts'
import { kindText } from '../words.ts'
import { MessagesView, useMessagePlace } from './messages-view.tsx'

/** The kept messages of a connection. */
export function ConnectionMessagesPage() {
  const { actor, client } = usePresence()
  const { tenant } = actor
  const { connectionId = '' } = useParams({ strict: false }) as { connectionId?: string }
  const { place, asked } = useMessagePlace()
  const { data } = useQuery(connectionsQuery(tenant))
  const connection = data?.find(({ id }) => id === connectionId)
  const messages = useInfiniteQuery(connectionMessagesQuery(tenant, connectionId, asked))
  usePageTitle(connection?.name ?? 'Messages', 'Connections', client.displayName)
  const back = { href: connectionsPath(tenant), label: 'Settings, Connections' }
  if (data && !connection) return <NotFound back={back} hint="Connection not found." />
  return (
    <>
      <PageHead
        back={back}
        title={connection ? `Messages of ${connection.name}` : 'Messages'}
        chips={connection && <Chip word={connection.state} />}
        place={connection && <span>{kindText(connection)}</span>}
      />
      <MessagesView place={place} query={messages} namesSensors />
    </>
  )
}
