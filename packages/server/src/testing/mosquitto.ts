import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const program = ['/usr/sbin/mosquitto', '/usr/local/sbin/mosquitto', '/opt/homebrew/sbin/mosquitto'].find(existsSync)

/** Why tests with a foreign broker cannot run here; false when they can. */
export const withoutMosquitto = program ? false : 'mosquitto is not installed'

export interface Mosquitto {
  url: string
  /** Whether what the broker has saved to disk holds a text: what a kill does not take from it. */
  hasSaved(text: string): boolean
  /** Ends it as `kill -9` does, and starts it again at the same address. */
  kill(): Promise<void>
  /** Ends it, and keeps what it has saved until `start`. */
  pause(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

const shipped = new URL('../../../../deploy/mosquitto/mosquitto.conf', import.meta.url)

/**
 * The settings that we ship for mosquitto, with another address and folder. What `anonymous` leaves out is who may do what: a test
 * of the sessions has no passwords.
 */
export function shippedSettings({
  port,
  folder,
  anonymous,
}: {
  port: number
  folder: string
  anonymous: boolean
}): string {
  let text = readFileSync(shipped, 'utf8')
  const replace = (from: RegExp, to: string) => {
    if (!from.test(text)) throw new Error(`deploy/mosquitto/mosquitto.conf has no ${from.source}`)
    text = text.replace(from, to)
  }
  replace(/^listener 1883$/m, `listener ${port} 127.0.0.1\nuser root`)
  if (anonymous) {
    replace(/^allow_anonymous false$/m, 'allow_anonymous true')
    replace(/^password_file .*\n/m, '')
    replace(/^acl_file .*\n/m, '')
  }
  replace(/\/mosquitto\/(data|config)\//g, `${folder}/`)
  return text
}

interface Wanted {
  /** It is not running yet. */
  paused?: boolean
  /** It has the list of users that we ship, which is empty: it refuses everybody. */
  users?: boolean
}

/** A real MQTT 5 broker on a port of its own, with the settings that we ship. */
export async function startMosquitto({ paused = false, users = false }: Wanted = {}): Promise<Mosquitto> {
  const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-mosquitto-'))
  const port = await freePort()
  const settings = path.join(folder, 'mosquitto.conf')
  writeFileSync(settings, shippedSettings({ port, folder, anonymous: !users }))
  if (users) for (const name of ['passwords', 'acl']) writeFileSync(path.join(folder, name), '', { mode: 0o600 })
  const start = async () => {
    const started = spawn(program!, ['-c', settings], { stdio: 'ignore' })
    while (!(await answers(port))) {
      if (started.exitCode !== null) throw new Error(`mosquitto ended with ${started.exitCode}`)
      await sleep(20)
    }
    return started
  }
  let broker = paused ? undefined : await start()
  const end = async (signal: NodeJS.Signals) => {
    const ending = broker
    broker = undefined
    if (!ending || ending.exitCode !== null) return
    const ended = once(ending, 'exit')
    ending.kill(signal)
    await ended
  }
  return {
    url: `mqtt://127.0.0.1:${port}`,
    hasSaved: (text) => {
      const saved = path.join(folder, 'mosquitto.db')
      return existsSync(saved) && readFileSync(saved).includes(text)
    },
    kill: async () => {
      await end('SIGKILL')
      broker = await start()
    },
    pause: () => end('SIGTERM'),
    start: async () => {
      broker = await start()
    },
    stop: async () => {
      await end('SIGTERM')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export async function freePort(): Promise<number> {
  const probe = net.createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as net.AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}

/** Whether something listens on a port of this machine. */
export async function answers(port: number): Promise<boolean> {
  const socket = net.connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
