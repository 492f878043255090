import { readFile } from 'node:fs/promises'
import { operator as by } from '../audit/audit.ts'
import { embeddedDirectory } from '../config.ts'
import type { KnownPerson } from '../people/other-issuer.ts'
import { changeIdentity, clientsOf, membersElsewhere, personWithIdentity } from '../people/other-issuer.ts'
import { ensureAccount, findAccount, findCredentials } from '../idp/accounts.ts'
import { inTenant } from '../postgres/tenant.ts'
import type { Operator } from './operator.ts'
import { OperatorError, listTenants } from './operator.ts'

export interface MoveOptions {
  from: string
  to: string
  /** Limits the move to one person. */
  email?: string
  /** A file with lines `e-mail or former subject,new subject`. */
  subjectMap?: string
  dryRun?: true
}

/** The result for one person. */
export interface MoveOutcome {
  email: string
  clients: readonly string[]
  outcome: 'moved' | 'at the first sign-in' | 'not moved'
  note?: string
}

interface MovedPerson extends KnownPerson {
  email: string
  emailVerified: boolean
  clients: string[]
}

/**
 * Moves the members of an issuer to another one. Members whose new subject is known (from the map, from their account
 * at the embedded provider, or because they have signed in there) are moved now. The others move at their first
 * sign-in, by their verified e-mail.
 */
export async function* moveIssuer(operator: Operator, options: MoveOptions): AsyncGenerator<MoveOutcome> {
  const { from, to, email } = options
  const { directory } = operator.config.oidc
  if (from === to) throw new OperatorError('--from and --to are the same issuer.')
  if (to !== directory && !options.dryRun)
    throw new OperatorError(
      `People sign in with ${directory} here. Set OIDC_ISSUER to ${to} for this command as for the server, or look first with --dry-run.`,
    )
  const map = options.subjectMap === undefined ? new Map<string, string>() : await readMap(options.subjectMap)
  const all = await membersOf(operator, from)
  const movers = email === undefined ? all : all.filter((mover) => mover.email.toLowerCase() === email)
  if (email !== undefined && !movers.length)
    throw new OperatorError(`No member who signs in with ${from} has the e-mail ${email}.`)
  for (const key of map.keys())
    if (!movers.some((mover) => isNamed(mover, key)))
      yield { email: key, clients: [], outcome: 'not moved', note: `no member of ${from} has this e-mail or subject` }
  for (const mover of movers) {
    const twins = all.filter((one) => one.email.toLowerCase() === mover.email.toLowerCase())
    yield { email: mover.email, clients: mover.clients, ...(await move(operator, options, mover, { map, twins })) }
  }
}

type MoveResult = Pick<MoveOutcome, 'outcome' | 'note'>
const notMoved = (note: string): MoveResult => ({ outcome: 'not moved', note })

async function move(
  operator: Operator,
  { to, dryRun }: MoveOptions,
  mover: MovedPerson,
  { map, twins }: { map: ReadonlyMap<string, string>; twins: readonly MovedPerson[] },
): Promise<MoveResult> {
  const { db } = operator
  const bySubject = map.get(mover.subject)
  const byEmail = map.get(mover.email.toLowerCase())
  if (bySubject === undefined && twins.length > 1)
    return notMoved(`${twins.length} members have this e-mail; name this one in a subject map as ${mover.subject}`)
  const given = bySubject ?? byEmail
  if (given === undefined && !mover.emailVerified)
    return notMoved('the e-mail was never verified; name the new subject in a subject map, or invite the person again')
  const subject = given ?? (await subjectThere(operator, to, mover, dryRun))
  if (subject === undefined)
    return (await membersElsewhere(db, to, mover.email)).length > 1
      ? notMoved('members of several issuers have this e-mail; name the new subject in a subject map')
      : { outcome: 'at the first sign-in' }
  const holder = subject === newAccount ? undefined : await personWithIdentity(db, { issuer: to, subject })
  const theirs = holder ? await clientsOf(db, holder.id) : []
  if (theirs.length)
    return notMoved(
      `signs in there already as a member of ${theirs.join(', ')}; invite the person again in each client`,
    )
  const moved = dryRun || (await changeIdentity(db, { person: mover, to: { issuer: to, subject }, holder, by }))
  if (!moved) return notMoved('has signed in meanwhile; run the command again')
  const account =
    to === embeddedDirectory && subject !== newAccount ? await findAccount(operator.owner, subject) : undefined
  const needsLink = to === embeddedDirectory && !account?.hasPassword
  return { outcome: 'moved', ...(needsLink && { note: 'has no password yet: caretaker user link' }) }
}

/** Placeholder for the account that a real run creates. */
const newAccount = 'new account'

/** The subject of a person at the issuer, if known before they sign in. */
async function subjectThere(
  { db, owner }: Operator,
  to: string,
  { email, name }: MovedPerson,
  dryRun: boolean | undefined,
): Promise<string | undefined> {
  if (to === embeddedDirectory)
    return dryRun ? ((await findCredentials(owner, email))?.id ?? newAccount) : ensureAccount(owner, email, name)
  const there = await db
    .selectFrom('person')
    .select('subject')
    .where('issuer', '=', to)
    .where(db.fn('lower', ['email']), '=', email.toLowerCase())
    .where('email_verified', '=', true)
    .execute()
  return there.length === 1 ? there[0]!.subject : undefined
}

/** The members known to an issuer, with their clients. */
async function membersOf(operator: Operator, issuer: string): Promise<MovedPerson[]> {
  const movers = new Map<string, MovedPerson>()
  const issuers = new Set<string>()
  for (const { id: tenant } of await listTenants(operator)) {
    const rows = await inTenant(operator.db, tenant, (tx) =>
      tx
        .selectFrom('membership')
        .innerJoin('person', 'person.id', 'membership.person_id')
        .select(['person.id', 'person.name', 'person.email', 'issuer', 'subject', 'email_verified as emailVerified'])
        .where('tenant_id', '=', tenant)
        .execute(),
    )
    for (const row of rows) {
      issuers.add(row.issuer)
      if (row.issuer !== issuer) continue
      const mover = movers.get(row.id) ?? { ...row, clients: [] }
      mover.clients.push(tenant)
      movers.set(row.id, mover)
    }
  }
  if (!movers.size)
    throw new OperatorError(
      `No member signs in with ${issuer}. Members sign in with: ${[...issuers].sort().join(', ') || 'none yet'}.`,
    )
  return [...movers.values()].sort((a, b) => a.email.localeCompare(b.email) || a.id.localeCompare(b.id))
}

const isNamed = ({ email, subject }: MovedPerson, key: string) => key === subject || key === email.toLowerCase()

/** Each line is an e-mail or a former subject, a comma, and the new subject, which may contain commas. */
async function readMap(file: string): Promise<Map<string, string>> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new OperatorError(`${file} cannot be read.`)
  })
  const map = new Map<string, string>()
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (!line.trim() || (at === 0 && /^(e-?mail|subject)\s*,\s*subject$/i.test(line.trim()))) continue
    const [, given = '', subject = ''] = /^([^,]+),(.+)$/.exec(line) ?? []
    const key = given.includes('@') ? given.trim().toLowerCase() : given.trim()
    if (!key || !subject.trim() || map.has(key))
      throw new OperatorError(
        `${file}, line ${at + 1}: ${map.has(key) ? `${key} appears twice` : 'expected an e-mail or a former subject, a comma, and the new subject'}.`,
      )
    map.set(key, subject.trim())
  }
  return map
}
