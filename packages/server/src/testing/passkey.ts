import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

interface CreationOptions {
  challenge: string
  user: { id: string }
}

/** A passkey of a test's own: answers what a browser asks, as a device with a fingerprint reader would. */
export function testPasskey(origin: string, { verifies = true } = {}) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(16)
  let counter = 0
  const { x, y } = publicKey.export({ format: 'jwk' })
  /** As COSE: EC2, ES256, P-256. */
  const cose = map([
    [uint(1), uint(2)],
    [uint(3), negative(-7)],
    [negative(-1), uint(1)],
    [negative(-2), bytes(Buffer.from(x!, 'base64url'))],
    [negative(-3), bytes(Buffer.from(y!, 'base64url'))],
  ])
  const domain = createHash('sha256').update(new URL(origin).hostname).digest()
  const data = (more: Buffer = Buffer.alloc(0)) => {
    const flags = 0x01 | (verifies ? 0x04 : 0) | (more.length ? 0x40 : 0)
    const count = Buffer.alloc(4)
    count.writeUInt32BE((counter += 1))
    return Buffer.concat([domain, Buffer.from([flags]), count, more])
  }
  const clientData = (type: string, challenge: string, from: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: from, crossOrigin: false }))
  const answer = (response: Record<string, unknown>) => ({
    ...{ id: id.toString('base64url'), rawId: id.toString('base64url') },
    ...{ type: 'public-key', clientExtensionResults: {}, response },
  })
  return {
    id: id.toString('base64url'),
    create: ({ challenge }: CreationOptions, from = origin) => {
      const length = Buffer.alloc(2)
      length.writeUInt16BE(id.length)
      const made = Buffer.concat([Buffer.alloc(16), length, id, cose])
      const attestation = map([
        [text('fmt'), text('none')],
        [text('attStmt'), map([])],
        [text('authData'), bytes(data(made))],
      ])
      return answer({
        clientDataJSON: clientData('webauthn.create', challenge, from).toString('base64url'),
        attestationObject: attestation.toString('base64url'),
        transports: ['internal'],
      })
    },
    get: ({ challenge }: { challenge: string }, from = origin) => {
      const client = clientData('webauthn.get', challenge, from)
      const authenticatorData = data()
      const signed = Buffer.concat([authenticatorData, createHash('sha256').update(client).digest()])
      return answer({
        clientDataJSON: client.toString('base64url'),
        authenticatorData: authenticatorData.toString('base64url'),
        signature: sign('sha256', signed, privateKey).toString('base64url'),
      })
    },
  }
}

/** CBOR (RFC 8949), as far as a passkey needs it. */
function head(type: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(type << 5) | value])
  if (value < 256) return Buffer.from([(type << 5) | 24, value])
  return Buffer.from([(type << 5) | 25, value >> 8, value & 255])
}
const uint = (value: number) => head(0, value)
const negative = (value: number) => head(1, -1 - value)
const bytes = (value: Buffer) => Buffer.concat([head(2, value.length), value])
const text = (value: string) => Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
const map = (pairs: [Buffer, Buffer][]) => Buffer.concat([head(5, pairs.length), ...pairs.flat()])
