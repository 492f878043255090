import { useState } from 'react'
import { Skeleton, Switch } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { IconAlertTriangle, IconBell, IconBolt, IconFlame, IconTemperature } from '../../../icons/index.ts'
import type { Property } from '@caretaker/contract/properties.ts'
import type { PropertyVoid } from '@caretaker/contract/void-mode.ts'
import { hidesPersonalData } from '@caretaker/rules/identity/actor.ts'
import type { VoidEffect } from '@caretaker/rules/properties/void.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { useActor } from '../../../api/actor.ts'
import { textsOf } from '../../../api/errors.ts'
import { ConfirmDialog, Problems } from '../../../ui/dialog.tsx'
import { InlineField } from '../../../ui/forms/inline-edit.tsx'
import { showError } from '../../../ui/toasts.tsx'
import { propertyResidentsQuery, propertyVoidQuery, usePropertyEdit } from '../queries.ts'
import classes from './void.module.css'

interface VoidSwitchProps {
  property: Property
  onDone: (text: string) => void
}

/** Whether the home is void. It asks before anything is sent, and shows what is stored until that has changed. */
export function VoidSwitch({ property, onDone }: VoidSwitchProps) {
  const { change } = usePropertyEdit(property)
  const [pending, setPending] = useState<boolean>()
  const isVoid = property.voidStatus === 'Void'
  const send = async (): Promise<true> => {
    try {
      await change({ voidStatus: pending ? 'Void' : 'NotVoid' })
      onDone(`Void property flag ${pending ? 'ON' : 'OFF'} successfully!`)
    } catch (error) {
      showError(error instanceof Error ? error.message : String(error))
    }
    return true
  }
  return (
    <>
      <InlineField
        label="Void Property Flag"
        action={
          <Switch
            aria-label="Void Property Flag"
            checked={pending ?? isVoid}
            onChange={(event) => setPending(event.currentTarget.checked)}
          />
        }
      >
        <b>{isVoid ? 'On' : 'Off'}</b>{' '}
        <span className={classes.quiet}>
          {isVoid
            ? 'What it asked of the devices, and what they answered, stands under Void'
            : 'Turning it on limits heating to 10 °C and mutes alerts'}
        </span>
      </InlineField>
      {pending !== undefined && (
        <ConfirmDialog
          title={`Turn void ${pending ? 'on' : 'off'} for ${property.propertyReference || 'this property'}?`}
          verb="Confirm"
          danger={pending}
          onConfirm={send}
          onClose={() => setPending(undefined)}
        >
          <Question property={property} isVoid={pending} />
        </ConfirmDialog>
      )}
    </>
  )
}

const icons: Record<VoidEffect, typeof IconBolt> = {
  heating: IconTemperature,
  firing: IconFlame,
  electricity: IconBolt,
  alerts: IconBell,
}

/** What it does to this home, and what not and why. */
function Question({ property, isVoid }: { property: Property; isVoid: boolean }) {
  const actor = useActor()
  const { data, error } = useQuery(propertyVoidQuery(actor.tenant, property.propertyId))
  const where = hidesPersonalData(actor) ? '' : [property.address1, property.town].filter(Boolean).join(', ')
  const people = property.numberOfInhabitant ?? 0
  const asks = isVoid && can(actor, 'see residents')
  const residents = useQuery({ ...propertyResidentsQuery(actor.tenant, property.propertyId), enabled: asks }).data ?? []
  return (
    <>
      <p>
        {where && `${where}. `}
        {isVoid ? 'This happens as soon as each device confirms it:' : 'Each device is asked to go back:'}
      </p>
      {data ? <Plan plan={data.plan} /> : error ? <Problems texts={textsOf(error)} /> : <Skeleton height={220} />}
      {isVoid && people + residents.length > 0 && (
        <div className={classes.warning} role="note">
          <IconAlertTriangle size={20} aria-hidden />
          <div>
            {people > 0 && <b>{people === 1 ? 'One person is' : `${people} people are`} recorded as living here</b>}
            {residents.length > 0 && (
              <p>
                {residents.length === 1 ? 'One resident has' : `${residents.length} residents have`} asked for this home
                in the resident app.
              </p>
            )}
            <p>Check that the home is empty.</p>
          </div>
        </div>
      )}
    </>
  )
}

function Plan({ plan }: { plan: PropertyVoid['plan'] }) {
  return (
    <ul className={classes.plan}>
      {plan.map(({ effect, applies, title, text }) => {
        const Icon = icons[effect]
        return (
          <li key={effect} data-applies={applies || undefined}>
            <Icon size={18} stroke={1.7} aria-hidden />
            <div>
              <b>{title}</b>
              <p>{text}</p>
            </div>
          </li>
        )
      })}
    </ul>
  )
}
