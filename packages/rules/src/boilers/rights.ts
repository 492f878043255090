import type { DeviceSubject } from '../devices/rights.ts'
import { isReadOnly } from '../devices/rights.ts'
import { isEngineer, tagsAllow } from '../identity/actor.ts'
import type { SubjectRights } from '../identity/rights.ts'
import { recordTypesOf } from './compliance.ts'

/** Questions about one boiler. */
export const boilerRights = {
  /** Compliance records: an engineer of the boiler area, where the device is not read-only (devices specification, section 6). */
  'add boiler record': {
    any: (actor) => isEngineer(actor, 'boilers'),
    one: (actor, device) =>
      isEngineer(actor, 'boilers') &&
      recordTypesOf(device.product).length > 0 &&
      tagsAllow(actor, device) &&
      !isReadOnly(actor, device),
  },
} satisfies SubjectRights<DeviceSubject>
