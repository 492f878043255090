import type pg from 'pg'
import { resealed } from './sealed.ts'
import { beginRenewal, finishRenewal } from './secrets.ts'

/** A stored secret, encrypted with the next key. */
export type Reseal = (owner: string, stored: string) => string

/** Data that is signed with the former keys or waits to be encrypted. Links for new passwords depend on no key. */
const ended = [
  'Session',
  'Grant',
  'RefreshToken',
  'AuthorizationCode',
  'Interaction',
  'PendingAuthenticatorApp',
  'SsoSignIn',
]

/**
 * Replaces all keys of the embedded provider: signing keys, cookie keys and the key for secrets, which are encrypted
 * with the next one. `resealOthers` does that for secrets outside the provider. Everyone has to sign in again. If it is
 * interrupted, the next run continues with the same next key.
 */
export async function renewKeys(idp: pg.Pool, resealOthers: (reseal: Reseal) => Promise<void>): Promise<void> {
  const keys = await beginRenewal(idp)
  const reseal: Reseal = (owner, stored) => resealed(keys, owner, stored)
  await resealOthers(reseal)
  const client = await idp.connect()
  try {
    await client.query('begin')
    const { rows } = await client.query<{ account: string; secret: string }>(
      'select account_id as account, secret from idp.authenticator_app for update',
    )
    for (const { account, secret } of rows)
      await client.query('update idp.authenticator_app set secret = $2 where account_id = $1', [
        account,
        reseal(account, secret),
      ])
    await finishRenewal(client)
    await client.query('delete from idp.payload where model = any($1)', [ended])
    await client.query('delete from idp.browser_session')
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}
