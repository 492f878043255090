import type { Device } from '@caretaker/contract/devices.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { targetOfDevice } from '../../actions/target.ts'
import { useActor } from '../../api/actor.ts'
import { Card } from '../../ui/card.tsx'
import { NoteForm, Notes } from './notes.tsx'
import { RepairForms } from './repair-forms.tsx'
import classes from './maintenance.module.css'

/** Repairs and notes of the device. */
export function Maintenance({ device }: { device: Device }) {
  const actor = useActor()
  const target = targetOfDevice(device)
  return (
    <div className={classes.columns}>
      <div className={classes.column}>
        <RepairForms device={device} />
      </div>
      <Card title="Notes" className={classes.notes}>
        {can(actor, 'write note', target) && <NoteForm key={device.deviceId} device={device} />}
        <Notes device={device} />
      </Card>
    </div>
  )
}
