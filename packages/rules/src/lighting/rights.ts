import { hasLevel, isEngineer, seesTenant } from '../identity/actor.ts'
import { levels } from '../identity/roles.ts'
import type { GeneralRights } from '../identity/rights.ts'

export const lightingRights = {
  /** Groups of lights and their test schedules: hidden from limited users. */
  'see test schedules': (actor) => seesTenant(actor) && hasLevel(actor, 'lighting', levels.read),
  'edit test schedules': (actor) => seesTenant(actor) && isEngineer(actor, 'lighting'),
  /** The sidebar's way to all test results; who sees lighting may open them by address. */
  'be led to test results': (actor) => hasLevel(actor, 'misc', levels.dev),
} satisfies GeneralRights
