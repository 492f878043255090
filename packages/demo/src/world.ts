import type { World } from '@caretaker/server/world.ts'
import { holdsDemo } from '@caretaker/server/world.ts'
import { fleetFile } from './fleet.ts'
import { resumeDemo } from './resume.ts'
import { seedDemo } from './seed.ts'
import { startSimulator } from './simulator.ts'

/** The demo: three clients with their devices, and the simulator that lets some of them live. */
export const world: World = {
  async prepare({ config, owner, files }) {
    const { dataDir, demoDevices: devices } = config
    const now = new Date()
    if (await holdsDemo(owner)) await resumeDemo({ owner, now, dataDir })
    else await seedDemo({ owner, devices, now, issuer: config.oidc.directory, dataDir, files })
  },
  play: ({ config }, url) => startSimulator(fleetFile(config.dataDir), url),
}
