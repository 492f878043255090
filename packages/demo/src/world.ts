import type { World } from '@caretaker/server/world.ts'
import { holdsDemo } from '@caretaker/server/world.ts'
import { fleetFile } from './fleet.ts'
import { passwordLines, replacePasswords } from './passwords.ts'
import { resumeDemo } from './resume.ts'
import type { Simulator } from './simulator.ts'
import { startSimulator } from './simulator.ts'

let simulator: Simulator | undefined

/** The demo: three clients with their devices, and the simulator that runs the connected ones. */
export const world: World = {
  async prepare({ config, owner, files }) {
    const { dataDir, demoDevices: devices } = config
    const now = new Date()
    if (await holdsDemo(owner)) await resumeDemo({ owner, devices, now, dataDir })
    else
      await (await import('./seed.ts')).seedDemo({ owner, devices, now, issuer: config.oidc.directory, dataDir, files })
    if (!config.exposedBy || !config.oidc.embedded) return
    // Also for a demo that only this machine could reach until now. Printed at once, because the start may fail after this.
    const passwords = await replacePasswords(owner, 'published')
    if (passwords.length) process.stdout.write(passwordLines(passwords))
  },
  play({ config: { dataDir, parts, port } }, url) {
    const web = parts.includes('api') ? `http://127.0.0.1:${port}` : undefined
    simulator = startSimulator(fleetFile(dataDir), url, web)
    return simulator.stop
  },
  answer: (address, options) => simulator?.answer(address, options),
}
