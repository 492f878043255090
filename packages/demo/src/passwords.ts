import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { endSessions } from '@caretaker/server/idp/accounts.ts'
import { hashPassword, verifyPassword } from '@caretaker/server/idp/password.ts'
import { demoPassword, demoPeople } from './fixtures.ts'
import { accountId } from './rooms/people.ts'

export interface NewPassword {
  email: string
  password: string
}

/**
 * Gives all demo users, or those with the published password, random passwords, ends their sessions and returns the
 * passwords. Only hashes of them are stored. Two processes that start at once set one password for each user.
 */
export async function replacePasswords(owner: pg.Pool, which: 'all' | 'published'): Promise<NewPassword[]> {
  const client = await owner.connect()
  try {
    await client.query('begin')
    const { rows } = await client.query<{ id: string; email: string; hash: string | null }>(
      `select id, email, password_hash as hash from idp.account where id = any($1) order by email for update`,
      [demoPeople.map(({ email }) => accountId(email))],
    )
    const isPublished =
      which === 'published' ? await publishedHashes(rows.flatMap(({ hash }) => hash ?? [])) : undefined
    const replaced: NewPassword[] = []
    for (const { id, email, hash } of rows) {
      if (isPublished && !(hash && isPublished.has(hash))) continue
      const password = randomBytes(15).toString('base64url')
      await client.query('update idp.account set password_hash = $2 where id = $1', [id, await hashPassword(password)])
      await endSessions(client, id)
      replaced.push({ email, password })
    }
    await client.query('commit')
    return replaced
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  } finally {
    client.release()
  }
}

/** The hashes that match the published password. At first all users have the same hash, so few are checked. */
async function publishedHashes(hashes: readonly string[]): Promise<Set<string>> {
  const published = new Set<string>()
  for (const hash of new Set(hashes)) if (await verifyPassword(demoPassword, hash)) published.add(hash)
  return published
}

/** A heading, and a line to print for each password. */
export function passwordLines(passwords: readonly NewPassword[]): string {
  const width = Math.max(...passwords.map(({ email }) => email.length))
  const lines = passwords.map(({ email, password }) => `  ${email.padEnd(width)}  ${password}`)
  return [
    'The passwords of the demo, which are not shown again (npm run demo:passwords makes new ones):',
    ...lines,
    '',
  ].join('\n')
}
