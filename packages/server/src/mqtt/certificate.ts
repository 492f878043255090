import fs from 'node:fs'
import type { Socket } from 'node:net'
import tls from 'node:tls'
import type { FastifyBaseLogger } from 'fastify'
import { SettingError } from '../config.ts'

/** Paths of the certificate and key files (PEM). */
interface Files {
  cert: string
  key: string
}

export interface Certificate {
  /** Returns the connection wrapped in TLS. */
  secure(socket: Socket): tls.TLSSocket
  stop(): void
}

/**
 * Reads the certificate and key, and reads them again when the files change. Open connections stay; new ones use the
 * new pair. If a new pair is invalid, the error is logged and the former pair stays in use. Throws a SettingError if
 * the first pair is invalid.
 */
export function openCertificate(files: Files, log: FastifyBaseLogger, every = 5000): Certificate {
  let seen = stampOf(files)
  let context = contextOf(files)
  const look = () => {
    const now = stampOf(files)
    if (now === seen) return
    seen = now
    try {
      context = contextOf(files)
      log.info('the certificate of the broker was reloaded')
    } catch (error) {
      log.error((error as Error).message)
    }
  }
  const timer = setInterval(look, every).unref()
  return {
    secure: (socket) => new tls.TLSSocket(socket, { isServer: true, secureContext: context }),
    stop: () => clearInterval(timer),
  }
}

/** With TLS 1.2 only suites with forward secrecy and authenticated encryption, with TLS 1.3 all suites. */
const ciphers = 'TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256:ECDHE+AESGCM:ECDHE+CHACHA20'

function contextOf({ cert, key }: Files): tls.SecureContext {
  try {
    return tls.createSecureContext({ cert: fs.readFileSync(cert), key: fs.readFileSync(key), ciphers })
  } catch (error) {
    throw new SettingError(`MQTT_TLS_CERT and MQTT_TLS_KEY cannot be used: ${(error as Error).message}`)
  }
}

/** Changes when the file changes, also behind a symbolic link. */
function stampOf({ cert, key }: Files): string {
  return [cert, key]
    .map((file) => {
      const found = fs.statSync(file, { throwIfNoEntry: false })
      return found ? `${found.ino} ${found.size} ${found.mtimeMs}` : 'none'
    })
    .join()
}
