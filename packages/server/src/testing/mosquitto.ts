import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const program = ['/usr/sbin/mosquitto', '/usr/local/sbin/mosquitto', '/opt/homebrew/sbin/mosquitto'].find(existsSync)

/** Why tests with an external broker cannot run here; false if they can. */
export const withoutMosquitto = program ? false : 'mosquitto is not installed'

export interface Mosquitto {
  url: string
  /** The folder of its settings, users and data. */
  folder: string
  pid(): number | undefined
  /** Whether the data saved to disk contain a text, so that a kill does not lose it. */
  hasSaved(text: string): boolean
  /** Ends it like `kill -9`, and restarts it at the same address. */
  kill(): Promise<void>
  /** Stops it and keeps its saved data until `start`. */
  pause(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

const shipped = new URL('../../../../deploy/mosquitto/mosquitto.conf', import.meta.url)

/**
 * The shipped settings for mosquitto, with another address and folder. `anonymous` leaves out access control: session
 * tests have no passwords.
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
  /** Whether it is not started yet. */
  paused?: boolean
  /** Whether it uses the shipped list of users, which is empty: it rejects everyone. */
  users?: boolean
}

/** A real MQTT 5 broker on its own port, with the shipped settings. */
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
    folder,
    pid: () => broker?.pid,
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

/** Whether a process listens on a port of this machine. */
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
