import { z } from 'zod'
import { TenantId, Timestamp } from './scalars.ts'
import { route } from './route.ts'
import * as calls from './calls/mailbox.ts'

/** An e-mail of the tenant: `kept` in a demo, which sends none, `suppressed` when CARETAKER_OUTBOUND is off. */
export const MailboxEntry = z
  .object({
    id: z.string(),
    at: Timestamp,
    to: z.string(),
    subject: z.string(),
    /** Plain text; null unless it is kept. */
    text: z.string().nullable(),
    state: z.enum(['kept', 'waiting', 'sent', 'failed', 'suppressed']),
    /** Why the last attempt failed, or why there was none. */
    error: z.string().nullable(),
  })
  .meta({ id: 'MailboxEntry' })
export type MailboxEntry = z.infer<typeof MailboxEntry>

export const getMailbox = route({
  ...calls.getMailbox,
  looksAt: { of: 'home', as: 'list', name: 'E-mails', fields: ['text', 'subject'] },
  internal: true,
  summary: "The client's last 100 e-mails, newest first. A demo keeps them here instead of sending them.",
  params: z.object({ tenant: TenantId }),
  reply: z.object({ results: z.array(MailboxEntry) }),
})
