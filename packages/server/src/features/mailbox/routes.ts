import type { FastifyInstance } from 'fastify'
import { getMailbox } from '@caretaker/contract/mailbox.ts'
import { serveTenant } from '../../http/serve.ts'
import { listMails } from '../../mail/mail.ts'

export function mailboxRoutes(app: FastifyInstance): void {
  serveTenant(app, getMailbox, async ({ tx, context }) => ({ results: await listMails(tx, context.config) }))
}
