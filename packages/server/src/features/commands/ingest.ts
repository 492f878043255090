import type { z } from 'zod'
import type { Reply } from '@caretaker/contract/mqtt/payloads.ts'
import type { Incoming } from '../../incoming.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import type { CommandAnswer } from './store.ts'
import { applyCommandAnswers } from './store.ts'

export type IncomingReply = Incoming<z.infer<typeof Reply>>

/**
 * Applies the replies of devices to their commands. Returns replies to commands that the device was never given,
 * which count as bad messages. A repeated or late reply is harmless and not returned.
 */
export async function ingestReplies(tx: TenantTx, messages: IncomingReply[]): Promise<IncomingReply[]> {
  const commandAnswers = messages.map(({ deviceId, payload, receivedAt }): CommandAnswer => ({
    deviceId,
    commandId: payload.commandId.toLowerCase(),
    status: payload.status,
    message: payload.message ?? null,
    answeredAt: receivedAt,
  }))
  const unknown = await applyCommandAnswers(tx, commandAnswers)
  return messages.filter((_, index) => unknown.has(commandAnswers[index]!))
}
