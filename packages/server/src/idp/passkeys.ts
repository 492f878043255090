import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import type pg from 'pg'
import type { Config } from '../config.ts'
import type { Adding } from './factors.ts'
import { mayAddFactor } from './factors.ts'

type Site = Pick<Config, 'origin'>

/** Minutes in which a challenge can be answered, once. */
const minutesToAnswer = 10
const challengeModel = 'PasskeyChallenge'
export const mostPasskeys = 10

const domainOf = ({ origin }: Site) => new URL(origin).hostname

/** The purpose of a challenge: a sign-in by its id, or an account that adds a passkey somewhere. */
type Purpose = `sign-in ${string}` | `add ${string}`
const addingTo = ({ account, place }: Adding): Purpose => `add ${account.id} ${place}`

async function keepChallenge(idp: pg.Pool, purpose: Purpose, challenge: string): Promise<void> {
  await idp.query(
    `insert into idp.payload (model, id, payload, expires_at) values ($1, $2, $3, now() + make_interval(mins => $4))
     on conflict (model, id) do update set payload = excluded.payload, expires_at = excluded.expires_at`,
    [challengeModel, purpose, { challenge }, minutesToAnswer],
  )
}

async function takeChallenge(idp: pg.Pool, purpose: Purpose): Promise<string | undefined> {
  const { rows } = await idp.query<{ challenge: string }>(
    `delete from idp.payload where model = $1 and id = $2 and expires_at > now() returning payload->>'challenge' as challenge`,
    [challengeModel, purpose],
  )
  return rows[0]?.challenge
}

/** The options with which a browser creates a passkey for an account. */
export async function creationOptions(
  site: Site,
  idp: pg.Pool,
  { account, place }: Adding & { account: { name: string } },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { rows } = await idp.query<{ id: string; transports: AuthenticatorTransport[] }>(
    'select id, transports from idp.passkey where account_id = $1',
    [account.id],
  )
  const options = await generateRegistrationOptions({
    rpName: 'Caretaker',
    rpID: domainOf(site),
    userID: new Uint8Array(Buffer.from(account.id)),
    userName: account.email,
    userDisplayName: account.name,
    attestationType: 'none',
    excludeCredentials: rows,
    // Enough to sign in without a password: the device finds the account and verifies the user.
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
  await keepChallenge(idp, addingTo({ account, place }), options.challenge)
  return options
}

/**
 * Adds the passkey that a browser created; false if the answer does not match a challenge of this account, or the
 * account has another factor and may add only its first.
 */
export async function addPasskey(
  site: Site,
  idp: pg.Pool,
  adding: Adding,
  { name, response, isFirst }: { name: string; response: unknown; isFirst: boolean },
): Promise<boolean> {
  const challenge = await takeChallenge(idp, addingTo(adding))
  if (challenge === undefined) return false
  const made = await verifyRegistrationResponse({
    response: response as RegistrationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: site.origin,
    expectedRPID: domainOf(site),
    requireUserVerification: true,
  }).catch(() => undefined)
  if (!made?.verified) return false
  const { id, publicKey, counter, transports = [] } = made.registrationInfo.credential
  const { rowCount } = await idp.query(
    `insert into idp.passkey (id, account_id, name, public_key, sign_count, transports)
     select $2, $1::uuid, $3, $4, $5, $6
     where (select count(*) from idp.passkey where account_id = $1::uuid) < ${mostPasskeys} and ${mayAddFactor('$7')}
     on conflict (id) do nothing`,
    [adding.account.id, id, name, Buffer.from(publicKey), counter, transports, isFirst],
  )
  return rowCount === 1
}

/**
 * The options with which a browser signs in: with any passkey of this site, or with one of an account whose password
 * was right.
 */
export async function requestOptions(
  site: Site,
  idp: pg.Pool,
  { uid, account }: { uid: string; account?: string | undefined },
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { rows } = account
    ? await idp.query<{ id: string; transports: AuthenticatorTransport[] }>(
        'select id, transports from idp.passkey where account_id = $1',
        [account],
      )
    : { rows: [] }
  const options = await generateAuthenticationOptions({
    rpID: domainOf(site),
    allowCredentials: rows,
    userVerification: 'required',
  })
  await keepChallenge(idp, `sign-in ${uid}`, options.challenge)
  return options
}

/** The account whose passkey answered the challenge of a sign-in; undefined if none did. */
export async function accountOfPasskey(
  site: Site,
  idp: pg.Pool,
  { uid, response }: { uid: string; response: unknown },
): Promise<string | undefined> {
  const challenge = await takeChallenge(idp, `sign-in ${uid}`)
  const answer = response as AuthenticationResponseJSON
  if (challenge === undefined || typeof answer?.id !== 'string') return undefined
  const { rows } = await idp.query<{
    account: string
    publicKey: Buffer
    counter: string
    transports: AuthenticatorTransport[]
  }>(
    `select account_id as account, public_key as "publicKey", sign_count as counter, transports from idp.passkey where id = $1`,
    [answer.id],
  )
  const [known] = rows
  if (!known) return undefined
  const { account, publicKey, counter, transports } = known
  const checked = await verifyAuthenticationResponse({
    response: answer,
    expectedChallenge: challenge,
    expectedOrigin: site.origin,
    expectedRPID: domainOf(site),
    requireUserVerification: true,
    credential: { id: answer.id, publicKey: new Uint8Array(publicKey), counter: Number(counter), transports },
  }).catch(() => undefined)
  if (!checked?.verified) return undefined
  await idp.query('update idp.passkey set sign_count = $2, last_used_at = now() where id = $1', [
    answer.id,
    checked.authenticationInfo.newCounter,
  ])
  return account
}

/** Removes a passkey of an account. Returns its name, or undefined if the account has no such passkey. */
export async function removePasskey(idp: pg.Pool, account: string, id: string): Promise<string | undefined> {
  const { rows } = await idp.query<{ name: string }>(
    'delete from idp.passkey where account_id = $1 and id = $2 returning name',
    [account, id],
  )
  return rows[0]?.name
}
