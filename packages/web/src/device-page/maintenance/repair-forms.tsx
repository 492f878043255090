import { useQuery } from '@tanstack/react-query'
import type { Device } from '@caretaker/contract/devices.ts'
import type { RepairForm } from '@caretaker/contract/maintenance.ts'
import { dayAt, dayText } from '@caretaker/rules/calendar/days.ts'
import { partsText } from '@caretaker/rules/maintenance/forms.ts'
import { replacedText } from '@caretaker/rules/maintenance/repairs.ts'
import { RepairButton } from '../../actions/repair-button.tsx'
import { targetOfDevice } from '../../actions/target.ts'
import { useActor } from '../../api/actor.ts'
import { Card } from '../../ui/card.tsx'
import { Empty, Failed, Loading, LoadingLines } from '../../ui/states.tsx'
import { TimeOf, useZone } from '../../ui/zone.tsx'
import { PhotoLink } from './photo-link.tsx'
import { repairFormsQuery } from './queries.ts'
import classes from './maintenance.module.css'

/** The recorded repairs of the device, newest first. */
export function RepairForms({ device }: { device: Device }) {
  const { tenant } = useActor()
  const { data: forms, isError, refetch } = useQuery(repairFormsQuery(tenant, device))
  return (
    <Card
      title="Repair forms"
      {...(forms?.length && { total: forms.length })}
      actions={<RepairButton device={targetOfDevice(device)} />}
    >
      {isError ? (
        <Failed onRetry={() => void refetch()} />
      ) : !forms ? (
        <Loading label="Loading the repair forms">
          <LoadingLines lines={3} />
        </Loading>
      ) : forms.length ? (
        <ol className={classes.list} aria-label="Repair forms">
          {forms.map((form) => (
            <Repair key={form.id} form={form} />
          ))}
        </ol>
      ) : (
        <Empty text="No logs to show" />
      )}
    </Card>
  )
}

function Repair({ form }: { form: RepairForm }) {
  const zone = useZone()
  const { data, description, part, repairedBy, repairedOn, repairedTime, batteryFittedOn, replaced, timestamp, user } =
    form
  const isByAnother = repairedBy !== user || repairedOn !== dayAt(Date.parse(timestamp), zone)
  const parts = replacedText(replaced) || partsText(data)
  const what = parts || (part === 'device' ? 'Device itself' : 'Equipment')
  return (
    <li>
      <p className={classes.author}>
        <b>{user}</b> <TimeOf at={timestamp} />
      </p>
      {(isByAnother || part === 'device' || parts || !description) && (
        <p className={classes.what}>
          {what}
          {isByAnother && (
            <span>
              {' '}
              repaired by {repairedBy} on {dayText(repairedOn)}
              {repairedTime && `, ${repairedTime}`}
            </span>
          )}
        </p>
      )}
      {batteryFittedOn && <p className={classes.what}>Battery fitted on {dayText(batteryFittedOn)}</p>}
      {description && <p className={classes.text}>{description}</p>}
      {form.photos.map(({ photoId, name }) => (
        <PhotoLink key={photoId} deviceId={form.deviceId} repairId={form.id} photoId={photoId} name={name} />
      ))}
    </li>
  )
}
