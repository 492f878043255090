/** Limits of a client. */
export const mostSsoConnections = 20
export const mostSsoDomains = 50

/** The start of the DNS TXT record with which a client proves that a domain is its own. */
export const proofPrefix = 'caretaker-verification='

const day = 86_400_000
/** How often the record of a verified domain is checked, in ms. */
const recordInterval = day
/** How soon the check is repeated after the name servers did not respond, in ms. */
const recordRetry = 3_600_000
/** How long a verified domain stays verified without its record, in ms. */
const recordGrace = 7 * day

/** Results of a check that did not find the record of a domain. */
export const recordFaults = ['no domain', 'no record', 'no answer'] as const
export type RecordFault = (typeof recordFaults)[number]

/** When a domain stops being verified unless its record is found again. */
export const recordEndsAt = (missingSince: Date): Date => new Date(+missingSince + recordGrace)

/**
 * The state of a verified domain after a check of its record. Name servers that do not respond prove nothing: the record
 * counts neither as found nor as missing.
 */
export function afterRecordCheck(
  known: Date | null,
  fault: RecordFault | null,
  now: Date,
): { missingSince: Date | null; nextCheckAt: Date; isOver: boolean } {
  if (fault === 'no answer') return { missingSince: known, nextCheckAt: new Date(+now + recordRetry), isOver: false }
  const missingSince = fault && (known ?? now)
  const nextCheckAt = new Date(+now + recordInterval)
  if (!missingSince) return { missingSince, nextCheckAt, isOver: false }
  const endsAt = recordEndsAt(missingSince)
  return { missingSince, nextCheckAt: endsAt < nextCheckAt ? endsAt : nextCheckAt, isOver: endsAt <= now }
}

/** The claim with the groups of a person, unless a connection names another one. */
export const defaultGroupClaim = 'groups'

/** Domains at which anyone gets an address: no client can own one. */
const publicMailDomains: ReadonlySet<string> = new Set([
  ...['aim.com', 'aol.com', 'aol.co.uk', 'att.net', 'blueyonder.co.uk', 'bt.com', 'btinternet.com', 'btopenworld.com'],
  ...['comcast.net', 'fastmail.com', 'fastmail.fm', 'free.fr', 'freenet.de', 'gmail.com', 'gmx.at', 'gmx.ch'],
  ...['gmx.com', 'gmx.de', 'gmx.net', 'googlemail.com', 'hey.com', 'hotmail.co.uk', 'hotmail.com', 'hotmail.de'],
  ...['hotmail.fr', 'icloud.com', 'inbox.com', 'laposte.net', 'libero.it', 'live.co.uk', 'live.com', 'mac.com'],
  ...['mail.com', 'mail.ru', 'mailbox.org', 'me.com', 'msn.com', 'naver.com', 'ntlworld.com', 'orange.fr'],
  ...['outlook.co.uk', 'outlook.com', 'outlook.de', 'outlook.fr', 'pm.me', 'posteo.de', 'proton.me', 'protonmail.ch'],
  ...['protonmail.com', 'qq.com', 'rediffmail.com', 'rocketmail.com', 'sky.com', 't-online.de', 'talktalk.net'],
  ...['tiscali.co.uk', 'tutanota.com', 'tuta.io', 'verizon.net', 'virginmedia.com', 'wanadoo.fr', 'web.de'],
  ...[
    'yahoo.co.uk',
    'yahoo.com',
    'yahoo.de',
    'yahoo.fr',
    'yandex.com',
    'yandex.ru',
    'ymail.com',
    'zoho.com',
    '163.com',
  ],
])

/** The domain of an e-mail address in lower case; empty if the text is not an address. */
export function domainOf(email: string): string {
  const at = email.lastIndexOf('@')
  return at < 1
    ? ''
    : email
        .slice(at + 1)
        .trim()
        .toLowerCase()
}

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const domainName = new RegExp(`^(?:${label}\\.)+[a-z][a-z0-9-]*[a-z0-9]$`)

/** Why a client cannot use a domain for its single sign-on; undefined if it can, once verified. */
export function domainFault(domain: string, vendorDomain: string): string | undefined {
  if (domain.length > 253 || !domainName.test(domain)) return 'must be a domain such as northgate.example'
  if (publicMailDomains.has(domain)) return 'must be your own domain: anyone can get an address at this one'
  if (domain === vendorDomain.toLowerCase()) return 'belongs to the operator of Caretaker'
  return undefined
}

/** The groups in a claim: an array of texts, or one text. */
export function groupsIn(claim: unknown): string[] {
  const found = typeof claim === 'string' ? [claim] : Array.isArray(claim) ? claim : []
  return found.filter((one): one is string => typeof one === 'string').slice(0, 1000)
}

/** Whether a provider states in `amr` that it has checked a second factor (RFC 8176). */
export function hasSecondFactor(amr: unknown): boolean {
  return Array.isArray(amr) && amr.includes('mfa')
}
