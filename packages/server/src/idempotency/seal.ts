import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** The lengths of the salt, the initialisation vector and the tag, in bytes. */
const [salts, ivs, tags] = [16, 12, 16]

const cipherKey = (key: string, salt: Buffer) =>
  Buffer.from(hkdfSync('sha256', key, salt, 'Caretaker idempotency key', 32))

/**
 * Encrypts a response with the key that its caller sent, which the server does not store: a response may contain personal data.
 * It is bound to the caller. Callers may choose keys that can be guessed, so responses with secrets are not stored at all.
 */
export function seal(text: string, key: string, personId: string): Buffer {
  const [salt, iv] = [randomBytes(salts), randomBytes(ivs)]
  const cipher = createCipheriv('aes-256-gcm', cipherKey(key, salt), iv).setAAD(Buffer.from(personId))
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([salt, iv, cipher.getAuthTag(), sealed])
}

export function open(bytes: Buffer, key: string, personId: string): string {
  const salt = bytes.subarray(0, salts)
  const iv = bytes.subarray(salts, salts + ivs)
  const tag = bytes.subarray(salts + ivs, salts + ivs + tags)
  const decipher = createDecipheriv('aes-256-gcm', cipherKey(key, salt), iv)
    .setAAD(Buffer.from(personId))
    .setAuthTag(tag)
  return Buffer.concat([decipher.update(bytes.subarray(salts + ivs + tags)), decipher.final()]).toString('utf8')
}
