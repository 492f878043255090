import { hasLevel, seesTenant } from '../identity/actor.ts'
import { levels } from '../identity/roles.ts'
import type { GeneralRights } from '../identity/rights.ts'

export const lightingRights = {
  /** The test schedules of lights: hidden from limited users. */
  'see test schedules': seesTenant,
  /** To say what became of a test, and to see all that was measured during it (devices specification, section 4). */
  'correct test results': (actor) => hasLevel(actor, 'lighting', levels.admin),
  /** The sidebar's way to all test results; who sees lighting may open them by address. */
  'be led to test results': (actor) => hasLevel(actor, 'misc', levels.dev),
} satisfies GeneralRights
