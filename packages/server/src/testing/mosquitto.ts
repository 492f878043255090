import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const program = ['/usr/sbin/mosquitto', '/usr/local/sbin/mosquitto', '/opt/homebrew/sbin/mosquitto'].find(existsSync)

/** Why tests with a foreign broker cannot run here; false when they can. */
export const withoutMosquitto = program ? false : 'mosquitto is not installed'

export interface Mosquitto {
  url: string
  /** Ends it as `kill -9` does, and starts it again at the same address. */
  kill(): Promise<void>
  stop(): Promise<void>
}

/** A real MQTT 5 broker on a port of its own, which keeps sessions on disk as `deploy/mosquitto` has it, but every second. */
export async function startMosquitto(): Promise<Mosquitto> {
  const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-mosquitto-'))
  const port = await freePort()
  const settings = path.join(folder, 'mosquitto.conf')
  writeFileSync(
    settings,
    [
      `listener ${port} 127.0.0.1`,
      'allow_anonymous true',
      'max_inflight_messages 0',
      'max_queued_messages 0',
      'user root',
      'persistence true',
      `persistence_location ${folder}/`,
      'autosave_interval 1',
    ].join('\n'),
  )
  const start = async () => {
    const started = spawn(program!, ['-c', settings], { stdio: 'ignore' })
    while (!(await answers(port))) {
      if (started.exitCode !== null) throw new Error(`mosquitto ended with ${started.exitCode}`)
      await sleep(20)
    }
    return started
  }
  let broker = await start()
  return {
    url: `mqtt://127.0.0.1:${port}`,
    kill: async () => {
      const ended = once(broker, 'exit')
      broker.kill('SIGKILL')
      await ended
      broker = await start()
    },
    stop: async () => {
      broker.kill()
      if (broker.exitCode === null) await once(broker, 'exit')
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
