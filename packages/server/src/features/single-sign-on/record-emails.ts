import { zonedText } from '@caretaker/rules/calendar/days.ts'
import type { RecordFault } from '@caretaker/rules/identity/single-sign-on.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import type { Config } from '../../config.ts'
import { asMail } from '../../mail/account-emails.ts'
import type { Mail } from '../../mail/mail.ts'
import { postMails } from '../../mail/mail.ts'
import { responsibleMembers } from '../../people/members.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { clientNamed } from './store.ts'

interface MissingRecord {
  domain: string
  /** The name of the connection that signs in the domain's users. */
  connection: string
  fault: RecordFault
  /** When the domain ends unless its record is found; null if it has ended. */
  endsAt: Date | null
}

const faultText: Record<RecordFault, string> = {
  'no domain': 'The domain does not exist in DNS.',
  'no record': 'The domain exists, but has no such TXT record.',
  'no answer': 'The name servers of the domain did not respond.',
}

/** Informs the client's managers that the record of a verified domain is missing, or that the domain has ended. */
export async function informManagers(
  { tx, context: { config } }: { tx: TenantTx; context: { config: Config } },
  missing: MissingRecord,
): Promise<void> {
  const { managers } = await responsibleMembers(tx)
  const client = await clientNamed(tx)
  const letters = managers.map((to) => recordLetter(config, { ...missing, ...client, tenant: tx.tenant, to }))
  await postMails(tx, config, letters)
}

interface Addressed extends MissingRecord {
  tenant: string
  client: string
  zone: string
  to: { email: string; name: string }
}

function recordLetter(config: Pick<Config, 'origin'>, about: Addressed): Mail {
  const { tenant, client, zone, to, domain, connection, fault, endsAt } = about
  return asMail({
    ...{ to: to.email, domain },
    subject: endsAt
      ? `${client}: the DNS record of ${domain} is missing`
      : `${client}: single sign-on has ended for ${domain}`,
    greeting: `Hello ${to.name},`,
    paragraphs: [
      endsAt
        ? `Caretaker checks once a day whether ${domain} still belongs to ${client}. Today it did not find the DNS record that proves it. ${faultText[fault]}`
        : `Caretaker has not found the DNS record of ${domain} for a week. ${faultText[fault]} The domain is no longer verified, and the sessions of the connection “${connection}” have ended.`,
      endsAt
        ? `Restore the record before ${zonedText(+endsAt, zone)}. Until then, users of ${domain} sign in with “${connection}” as before; afterwards they need a password.`
        : `Users of ${domain} can no longer sign in with “${connection}”. They need a password until you restore the record and verify the domain again.`,
    ],
    link: {
      label: 'Open the sign-in settings',
      address: config.origin + pathTo(tenant, 'Settings', 'signIn'),
    },
    note: `You get this e-mail because you manage ${client}. The settings show the record that is needed.`,
  })
}
