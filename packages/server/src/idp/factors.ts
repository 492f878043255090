import { Secret, TOTP } from 'otpauth'
import type pg from 'pg'
import type { Accounts } from '../identity/accounts-in-transaction.ts'
import { digestOf } from '../identity/password-link.ts'
import { seal, unseal } from './sealed.ts'

export const codesPerPerson = 10
/** Seconds of a time step, and how many steps the clocks of a phone and of the server may differ by. */
const period = 30
const window = 1
/** Minutes in which a new authenticator app has to show its first code. */
const minutesToConfirm = 15
const pendingModel = 'PendingAuthenticatorApp'

/** The second factors of an account. */
export interface Factors {
  passkeys: { id: string; name: string; createdAt: Date; lastUsedAt: Date | null }[]
  /** When the authenticator app was added; null if there is none. */
  appAddedAt: Date | null
  recoveryCodesLeft: number
  changedAt: Date | null
}

export const hasFactor = ({ passkeys, appAddedAt }: Factors): boolean => passkeys.length > 0 || appAddedAt !== null

export async function factorsOf(accounts: Accounts, account: string): Promise<Factors> {
  const passkeys = await accounts.query<Factors['passkeys'][number]>(
    `select id, name, created_at as "createdAt", last_used_at as "lastUsedAt" from idp.passkey
     where account_id = $1 order by created_at, id`,
    [account],
  )
  const others = await accounts.query<Omit<Factors, 'passkeys'>>(
    `select factors_changed_at as "changedAt",
       (select created_at from idp.authenticator_app where account_id = account.id) as "appAddedAt",
       (select count(*)::int from idp.recovery_code where account_id = account.id and used_at is null) as "recoveryCodesLeft"
     from idp.account where id = $1`,
    [account],
  )
  return { ...(others.rows[0] ?? { appAddedAt: null, recoveryCodesLeft: 0, changedAt: null }), passkeys: passkeys.rows }
}

/**
 * Who adds a factor, and where: a sign-in by its id, or a session. A factor that awaits confirmation there cannot be
 * used elsewhere.
 */
export interface Adding {
  account: { id: string; email: string }
  place: `sign-in ${string}` | `session ${string}`
}

const pendingId = ({ account, place }: Adding) => `${account.id} ${place}`

/** A new authenticator app, which takes effect once it has shown a code: the key that the person scans or types in. */
export async function beginApp(idp: pg.Pool, adding: Adding) {
  const { id, email } = adding.account
  const secret = new Secret({ size: 20 })
  await idp.query(
    `insert into idp.payload (model, id, payload, expires_at) values ($1, $2, $3, now() + make_interval(mins => $4))
     on conflict (model, id) do update set payload = excluded.payload, expires_at = excluded.expires_at`,
    [pendingModel, pendingId(adding), { accountId: id, secret: await encrypted(idp, id, secret) }, minutesToConfirm],
  )
  return shown(secret, email)
}

/** The authenticator app that waits for its first code there; undefined if there is none. */
export async function pendingApp(idp: pg.Pool, adding: Adding) {
  const secret = await pendingSecret(idp, adding)
  return secret && shown(secret, adding.account.email)
}

async function pendingSecret(idp: pg.Pool, adding: Adding): Promise<Secret | undefined> {
  const { rows } = await idp.query<{ secret: string }>(
    `select payload->>'secret' as secret from idp.payload where model = $1 and id = $2 and expires_at > now()`,
    [pendingModel, pendingId(adding)],
  )
  return rows[0] && decrypted(idp, adding.account.id, rows[0].secret)
}

const shown = (secret: Secret, email: string) => ({ key: secret.base32, address: totp(secret, email).toString() })

/**
 * In SQL: whether the account $1 may add a factor. During a sign-in, when the person has given only a password, only
 * the first one may be added (parameter `isFirst`).
 */
export const mayAddFactor = (isFirst: string): string => `(not ${isFirst}::boolean or not exists (
  select from idp.passkey where account_id = $1::uuid union all select from idp.authenticator_app where account_id = $1::uuid))`

/**
 * Adds the waiting authenticator app, replacing the former one, if the code is from it; false if it is not, or if the
 * account has another factor and may add only its first.
 */
export async function confirmApp(
  idp: pg.Pool,
  adding: Adding,
  { code, isFirst, now = Date.now() }: { code: string; isFirst: boolean; now?: number },
): Promise<boolean> {
  const account = adding.account.id
  const secret = await pendingSecret(idp, adding)
  const step = secret && stepOf(secret, code, now)
  if (!secret || step === undefined) return false
  const { rowCount } = await idp.query(
    `with pending as (delete from idp.payload where model = $4 and payload->>'accountId' = $1::text)
     insert into idp.authenticator_app (account_id, secret, last_step) select $1::uuid, $2, $3 where ${mayAddFactor('$5')}
     on conflict (account_id) do update set secret = excluded.secret, last_step = excluded.last_step, created_at = now()
       where not $5::boolean`,
    [account, await encrypted(idp, account, secret), step, pendingModel, isFirst],
  )
  return rowCount === 1
}

/** Whether the code is from the authenticator app and newer than the last accepted one: each code is valid once. */
export async function acceptAppCode(idp: pg.Pool, account: string, code: string, now = Date.now()): Promise<boolean> {
  const { rows } = await idp.query<{ secret: string }>(
    'select secret from idp.authenticator_app where account_id = $1',
    [account],
  )
  const step = rows[0] && stepOf(await decrypted(idp, account, rows[0].secret), code, now)
  if (step === undefined) return false
  const { rowCount } = await idp.query(
    'update idp.authenticator_app set last_step = $2 where account_id = $1 and last_step < $2',
    [account, step],
  )
  return rowCount === 1
}

const totp = (secret: Secret, label = '') =>
  new TOTP({ issuer: 'Caretaker', label, algorithm: 'SHA1', digits: 6, period, secret })

function stepOf(secret: Secret, code: string, now: number): number | undefined {
  const delta = totp(secret).validate({ token: code, timestamp: now, window })
  return delta === null ? undefined : Math.floor(now / 1000 / period) + delta
}

/** Whether the code is an unused recovery code of the account; marks it as used. */
export async function acceptRecoveryCode(idp: pg.Pool, account: string, code: string): Promise<boolean> {
  const { rowCount } = await idp.query(
    `update idp.recovery_code set used_at = now() where account_id = $1 and code_hash = $2 and used_at is null`,
    [account, digestOf(plainCode(code))],
  )
  return rowCount === 1
}

const plainCode = (code: string) => code.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

/**
 * New recovery codes in place of all former ones. Only their digests are stored: with 120 bits, a fast hash is enough.
 */
export async function newRecoveryCodes(idp: pg.Pool, account: string): Promise<string[]> {
  const codes = Array.from({ length: codesPerPerson }, () =>
    new Secret({ size: 15 }).base32.toLowerCase().match(/.{4}/g)!.join('-'),
  )
  await idp.query(
    `with former as (delete from idp.recovery_code where account_id = $1 and code_hash <> all ($2))
     insert into idp.recovery_code (account_id, code_hash) select $1, unnest($2::text[])`,
    [account, codes.map((code) => digestOf(plainCode(code)))],
  )
  return codes
}

/** Recovery codes for an account that has none left. */
export async function codesIfNone(idp: pg.Pool, account: string): Promise<string[] | undefined> {
  const { recoveryCodesLeft } = await factorsOf(idp, account)
  return recoveryCodesLeft ? undefined : newRecoveryCodes(idp, account)
}

export async function removeApp(accounts: Accounts, account: string): Promise<boolean> {
  const { rowCount } = await accounts.query('delete from idp.authenticator_app where account_id = $1', [account])
  return rowCount === 1
}

/** Forgets the browsers of an account: each needs a second factor at its next sign-in. */
export async function forgetBrowsers(accounts: Accounts, account: string): Promise<void> {
  await accounts.query('update idp.account set factors_changed_at = now() where id = $1', [account])
}

/** Forgets browsers remembered with the former factors; if no factor is left, the recovery codes are deleted too. */
export async function noteChange(accounts: Accounts, account: string): Promise<void> {
  await forgetBrowsers(accounts, account)
  await accounts.query(
    `delete from idp.recovery_code where account_id = $1
       and not exists (select from idp.passkey where account_id = $1)
       and not exists (select from idp.authenticator_app where account_id = $1)`,
    [account],
  )
}

/** Removes all factors of an account. False if it had none. */
export async function removeFactors(accounts: Accounts, account: string): Promise<boolean> {
  const had = hasFactor(await factorsOf(accounts, account))
  await accounts.query('delete from idp.passkey where account_id = $1', [account])
  await accounts.query(`delete from idp.payload where model = $1 and payload->>'accountId' = $2`, [
    pendingModel,
    account,
  ])
  await removeApp(accounts, account)
  await noteChange(accounts, account)
  return had
}

/** Bound to the account, so that a secret copied to another row cannot be decrypted. */
const encrypted = (idp: pg.Pool, account: string, secret: Secret): Promise<string> => seal(idp, account, secret.bytes)

async function decrypted(idp: pg.Pool, account: string, stored: string): Promise<Secret> {
  return new Secret({ buffer: new Uint8Array(await unseal(idp, account, stored)).buffer })
}
