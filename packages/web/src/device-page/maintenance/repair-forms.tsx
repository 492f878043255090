import { useState } from 'react'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Device } from '@caretaker/contract/devices.ts'
import type { RepairForm } from '@caretaker/contract/maintenance.ts'
import { boilerRepairForm, emeredRepairForm } from '@caretaker/contract/calls/maintenance.ts'
import { dayAt, dayText } from '@caretaker/rules/calendar/days.ts'
import { areaOf } from '@caretaker/rules/devices/products.ts'
import {
  descriptionLength,
  formTexts,
  isCompleted,
  lightPartLabels,
  lightParts,
  partsText,
} from '@caretaker/rules/maintenance/forms.ts'
import type { LightPart, LightParts } from '@caretaker/rules/maintenance/forms.ts'
import { useActor } from '../../api/actor.ts'
import { call } from '../../api/call.ts'
import { Card } from '../../ui/card.tsx'
import checks from '../../ui/check.module.css'
import { Empty, Failed, Loading, LoadingLines } from '../../ui/states.tsx'
import { showSuccess } from '../../ui/toasts.tsx'
import { TimeOf, useZone } from '../../ui/zone.tsx'
import { repairFormsQuery, usePostForm } from './queries.ts'
import { WrittenField } from './written-field.tsx'
import classes from './maintenance.module.css'

interface Filled extends LightParts {
  description: string
}

const blank: Filled = { battery: false, inverter: false, lamp: false, description: '' }

/** The repair form of a device: of a light what was replaced, of others what was done. */
export function RepairFormCard({ device }: { device: Device }) {
  const { deviceId } = device
  const isLight = areaOf(device.productId) === 'lighting'
  const [filled, setFilled] = useState(blank)
  const [fault, setFault] = useState<string>()
  const post = usePostForm(
    device,
    (tenant, { description, ...parts }: Filled) =>
      isLight
        ? call(emeredRepairForm, { form: { tenant, deviceId, description, ...asWords(parts) } })
        : call(boilerRepairForm, { form: { tenant, deviceId, description } }),
    ({ flickTestQueued }) => {
      setFilled(blank)
      showSuccess(flickTestQueued ? formTexts.repaired : formTexts.submitted)
    },
  )
  const fill = (change: Partial<Filled>) => {
    setFilled({ ...filled, ...change })
    setFault(undefined)
  }
  return (
    <Card title="Repair form">
      <form
        className={classes.form}
        aria-label="Repair form"
        onSubmit={(event) => {
          event.preventDefault()
          if (!isCompleted({ ...filled })) return setFault(formTexts.empty)
          post.mutate(filled)
        }}
      >
        {isLight && (
          <fieldset className={classes.parts} disabled={post.isPending}>
            <legend>Replaced or repaired</legend>
            {lightParts.map((part) => (
              <Part key={part} part={part} isTicked={filled[part]} tick={(isTicked) => fill({ [part]: isTicked })} />
            ))}
          </fieldset>
        )}
        <WrittenField
          label="Description"
          value={filled.description}
          most={descriptionLength}
          disabled={post.isPending}
          hint={
            isLight
              ? 'The light counts as repaired until a test has passed, and a flick test is queued.'
              : 'The device counts as repaired until somebody ends it.'
          }
          onChange={(description) => fill({ description })}
        />
        <div className={classes.foot}>
          <p className={classes.fault} role="alert">
            {fault}
          </p>
          <Button type="submit" loading={post.isPending}>
            Submit
          </Button>
        </div>
      </form>
    </Card>
  )
}

function asWords(parts: LightParts) {
  const word = (part: LightPart) => (parts[part] ? ('true' as const) : ('false' as const))
  return { battery: word('battery'), inverter: word('inverter'), lamp: word('lamp') }
}

function Part({ part, isTicked, tick }: { part: LightPart; isTicked: boolean; tick: (isTicked: boolean) => void }) {
  return (
    <label className={checks.choice}>
      <input
        type="checkbox"
        className={checks.box}
        checked={isTicked}
        onChange={(event) => tick(event.currentTarget.checked)}
      />
      {lightPartLabels[part]}
    </label>
  )
}

/** The repairs of the device that were recorded, by whichever form, the newest first. */
export function RepairForms({ device }: { device: Device }) {
  const { tenant } = useActor()
  const { data: forms, isError, refetch } = useQuery(repairFormsQuery(tenant, device))
  return (
    <Card title="Repair forms" {...(forms?.length && { total: forms.length })}>
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
  const { data, description, part, repairedBy, repairedOn, timestamp, user } = form
  const isByAnother = repairedBy !== user || repairedOn !== dayAt(Date.parse(timestamp), zone)
  const what = partsText(data) || (part === 'device' ? 'Device itself' : 'Equipment')
  return (
    <li>
      <p className={classes.author}>
        <b>{user}</b> <TimeOf at={timestamp} />
      </p>
      {(isByAnother || part === 'device' || partsText(data) || !description) && (
        <p className={classes.what}>
          {what}
          {isByAnother && (
            <span>
              {' '}
              repaired by {repairedBy} on {dayText(repairedOn)}
            </span>
          )}
        </p>
      )}
      {description && <p className={classes.text}>{description}</p>}
    </li>
  )
}
