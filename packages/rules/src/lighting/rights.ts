import { hasLevel, isEngineer, isManager, seesTenant } from '../identity/actor.ts'
import { levels } from '../identity/roles.ts'
import type { GeneralRights } from '../identity/rights.ts'

export const lightingRights = {
  /** Groups of lights and their test schedules: hidden from limited users. */
  'see test schedules': (actor) => seesTenant(actor) && hasLevel(actor, 'lighting', levels.read),
  'edit test schedules': (actor) => seesTenant(actor) && isEngineer(actor, 'lighting'),
  /** To say what became of a test, and to see all that was measured during it (devices specification, section 4). */
  'correct test results': (actor) => hasLevel(actor, 'lighting', levels.admin),
  /** To say that a result is wrong; an administrator decides. */
  'dispute test results': (actor) => isEngineer(actor, 'lighting'),
  /** The settings' table of standard luminaires: settings are hidden from limited users. */
  'see standard luminaires': (actor) => hasLevel(actor, 'lighting', levels.read) && seesTenant(actor),
  /** They are everybody's, of all restrictions (devices gaps, B39). */
  'manage standard luminaires': (actor) => isManager(actor, 'lighting') && seesTenant(actor),
  /** The sidebar's way to all test results; who sees lighting may open them by address. */
  'be led to test results': (actor) => hasLevel(actor, 'misc', levels.dev),
} satisfies GeneralRights
