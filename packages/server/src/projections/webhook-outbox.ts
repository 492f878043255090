import type { TenantTx } from '../postgres/tenant.ts'
import type { DeviceMessage } from './outbox.ts'
import { enqueueMessages } from './outbox.ts'
import type { DomainEvent } from './event.ts'

/** The webhook message of an event; undefined if none is sent. */
export function messageOf(event: DomainEvent): DeviceMessage | undefined {
  switch (event.type) {
    case 'DeviceStatusChanged':
      return {
        ...{ event: 'device.statusChanged', deviceId: event.deviceId, at: event.at },
        data: { from: event.before, to: event.after },
      }
    case 'DeviceConnectionChanged':
      return {
        ...{ event: 'device.connectionChanged', deviceId: event.deviceId, at: event.at },
        data: { from: event.before, to: event.after },
      }
    case 'FaultBegan':
      return { event: 'fault.began', deviceId: event.deviceId, at: event.at, data: { fault: event.fault } }
    case 'FaultEnded':
      return {
        ...{ event: 'fault.ended', deviceId: event.deviceId, at: event.at },
        data: { fault: { ...event.fault, began: event.began.toISOString() } },
      }
    default:
      return undefined
  }
}

/** Enqueues a delivery for each endpoint that subscribes to an event. Without endpoints it costs one query. */
export async function enqueueWebhooks(tx: TenantTx, events: readonly DomainEvent[]): Promise<void> {
  await enqueueMessages(
    tx,
    events.flatMap((event) => messageOf(event) ?? []),
  )
}
