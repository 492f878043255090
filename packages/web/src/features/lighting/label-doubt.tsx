import type { Emered } from '@caretaker/contract/devices.ts'
import { labelDoubt } from '@caretaker/rules/lighting/label.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { mayEdit } from '../../actions/target.ts'
import { useActor } from '../../api/actor.ts'
import { useClock } from '../../ui/age-view.tsx'
import { AppLink } from '../../ui/link.tsx'
import classes from './lighting.module.css'

/** The fragment of an address that opens the label for editing. */
export const labelAnchor = 'label'

/** What to check if the battery label of a light contradicts all its readings. */
export function useLabelDoubt({ equipment, highestVoltage }: Emered): string | undefined {
  const now = useClock()
  const reported = highestVoltage && { highest: highestVoltage.voltage, since: Date.parse(highestVoltage.since) }
  return labelDoubt(equipment.batteries[0]?.voltage, reported, now)
}

/** The same beside the reason of a status, with a link to the label for authorised users. */
export function LabelDoubt({ device }: { device: Emered }) {
  const actor = useActor()
  const doubt = useLabelDoubt(device)
  if (!doubt) return undefined
  return (
    <span>
      {doubt}{' '}
      {mayEdit(actor, 'equip light', device) && (
        <AppLink
          href={`${pathTo(actor.tenant, 'EmergencyLights', device.deviceId)}#${labelAnchor}`}
          className={classes.more}
        >
          Edit the label
        </AppLink>
      )}
    </span>
  )
}
