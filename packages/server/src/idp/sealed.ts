import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { factorKeyOf } from './secrets.ts'

/**
 * Encrypts a secret with the key of the installation: `v1.iv.tag.text` in base64url, AES-256-GCM. `owner` is
 * authenticated with it, so that a secret copied to another row cannot be decrypted.
 */
export async function seal(idp: pg.Pool, owner: string, secret: Uint8Array): Promise<string> {
  return sealWith(await factorKeyOf(idp), owner, secret)
}

/** Decrypts a sealed secret. Throws if it belongs to another owner or another installation. */
export async function unseal(idp: pg.Pool, owner: string, stored: string): Promise<Buffer> {
  return unsealWith(await factorKeyOf(idp), owner, stored)
}

function sealWith(key: Buffer, owner: string, secret: Uint8Array): string {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(owner))
  const text = Buffer.concat([cipher.update(secret), cipher.final()])
  return ['v1', ...[iv, cipher.getAuthTag(), text].map((part) => part.toString('base64url'))].join('.')
}

function unsealWith(key: Buffer, owner: string, stored: string): Buffer {
  const [iv, tag, text] = stored
    .split('.')
    .slice(1)
    .map((part) => Buffer.from(part, 'base64url'))
  const decipher = createDecipheriv('aes-256-gcm', key, iv!).setAAD(Buffer.from(owner)).setAuthTag(tag!)
  return Buffer.concat([decipher.update(text!), decipher.final()])
}

/** The same secret, encrypted with another key. One that the first key does not open stays as it is: it was replaced before, or is foreign. */
export function resealed({ from, to }: { from: Buffer; to: Buffer }, owner: string, stored: string): string {
  let secret: Buffer
  try {
    secret = unsealWith(from, owner, stored)
  } catch {
    return stored
  }
  return sealWith(to, owner, secret)
}
