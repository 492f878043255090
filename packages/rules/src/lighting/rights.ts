import { hasLevel, isEngineer, isManager, seesTenant } from '../identity/actor.ts'
import { levels } from '../identity/roles.ts'
import type { GeneralRights } from '../identity/rights.ts'

export const lightingRights = {
  /** Light groups and their test schedules: not for users restricted by tags. */
  'see test schedules': (actor) => seesTenant(actor) && hasLevel(actor, 'lighting', levels.read),
  'edit test schedules': (actor) => seesTenant(actor) && isEngineer(actor, 'lighting'),
  /** Correct a test result, and see all measurements of a test (devices specification, section 4). */
  'correct test results': (actor) => hasLevel(actor, 'lighting', levels.admin),
  /** Dispute a test result; an administrator decides. */
  'dispute test results': (actor) => isEngineer(actor, 'lighting'),
  /** The table of standard luminaires in the settings, which restricted users do not see. */
  'see standard luminaires': (actor) => hasLevel(actor, 'lighting', levels.read) && seesTenant(actor),
  /** They are shared by the whole client, regardless of tags (devices gaps, B39). */
  'manage standard luminaires': (actor) => isManager(actor, 'lighting') && seesTenant(actor),
  /** The sidebar link to all test results; users who see lighting can open them by URL. */
  'be led to test results': (actor) => hasLevel(actor, 'misc', levels.dev),
} satisfies GeneralRights
