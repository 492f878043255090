import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { factorKeyOf } from './secrets.ts'

/**
 * Encrypts a secret with the key of the installation: `v1.iv.tag.text` in base64url, AES-256-GCM. `owner` is authenticated with it,
 * so that no row opens with another's secret.
 */
export async function seal(idp: pg.Pool, owner: string, secret: Uint8Array): Promise<string> {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', await factorKeyOf(idp), iv).setAAD(Buffer.from(owner))
  const text = Buffer.concat([cipher.update(secret), cipher.final()])
  return ['v1', ...[iv, cipher.getAuthTag(), text].map((part) => part.toString('base64url'))].join('.')
}

/** Decrypts a sealed secret. Throws if it belongs to another owner or another installation. */
export async function unseal(idp: pg.Pool, owner: string, stored: string): Promise<Buffer> {
  const [iv, tag, text] = stored
    .split('.')
    .slice(1)
    .map((part) => Buffer.from(part, 'base64url'))
  const decipher = createDecipheriv('aes-256-gcm', await factorKeyOf(idp), iv!)
    .setAAD(Buffer.from(owner))
    .setAuthTag(tag!)
  return Buffer.concat([decipher.update(text!), decipher.final()])
}
