import { useState } from 'react'
import { Checkbox, Skeleton, Switch } from '@mantine/core'
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

/** Whether the property is void. It asks for confirmation, and shows the stored value until that has changed. */
export function VoidSwitch({ property, onDone }: VoidSwitchProps) {
  const { change } = usePropertyEdit(property)
  const [pending, setPending] = useState<boolean>()
  const [kept, setKept] = useState<readonly string[]>([])
  const isVoid = property.voidStatus === 'Void'
  const send = async (): Promise<true> => {
    try {
      await change({ voidStatus: pending ? 'Void' : 'NotVoid', ...(kept.length > 0 && { keepAccessOf: [...kept] }) })
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
            onChange={(event) => {
              setKept([])
              setPending(event.currentTarget.checked)
            }}
          />
        }
      >
        <b>{isVoid ? 'On' : 'Off'}</b>{' '}
        <span className={classes.quiet}>
          {isVoid
            ? 'See the commands and the device responses under Void'
            : 'When on: heating at 10 °C, alerts muted except frost, leak and CO'}
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
          <ApprovedResidents property={property} kept={kept} onKeep={setKept} />
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

/** The effects on this property, and the exceptions with reasons. */
function Question({ property, isVoid }: { property: Property; isVoid: boolean }) {
  const actor = useActor()
  const { data, error } = useQuery(propertyVoidQuery(actor.tenant, property.propertyId))
  const where = hidesPersonalData(actor) ? '' : [property.address1, property.town].filter(Boolean).join(', ')
  const people = property.numberOfInhabitant ?? 0
  const { data: residents = [] } = useResidents(property, isVoid)
  const waiting = residents.filter(({ residences }) => residences.every(({ approved }) => !approved))
  return (
    <>
      <p>
        {where && `${where}. `}
        {isVoid
          ? 'This happens as soon as each device confirms it:'
          : 'Each device is requested to return to its previous settings:'}
      </p>
      {data ? <Plan plan={data.plan} /> : error ? <Problems texts={textsOf(error)} /> : <Skeleton height={220} />}
      {isVoid && people + waiting.length > 0 && (
        <div className={classes.warning} role="note">
          <IconAlertTriangle size={20} aria-hidden />
          <div>
            {people > 0 && <b>{people === 1 ? 'One person is' : `${people} people are`} recorded as living here</b>}
            {waiting.length > 0 && (
              <p>
                {waiting.length === 1 ? 'One resident has' : `${waiting.length} residents have`} requested this property
                in the resident app.
              </p>
            )}
            <p>Check that the property is empty.</p>
          </div>
        </div>
      )}
    </>
  )
}

/** The residents who have requested the property, for authorised users. */
function useResidents({ propertyId }: Property, isWanted = true) {
  const actor = useActor()
  const enabled = isWanted && can(actor, 'see residents')
  return useQuery({ ...propertyResidentsQuery(actor.tenant, propertyId), enabled })
}

interface ApprovedProps {
  property: Property
  /** Residents whose access is kept, by their ids in the resident app. */
  kept: readonly string[]
  onKeep: (kept: readonly string[]) => void
}

/** Residents with access to the property: it ends with the change unless someone keeps it. */
function ApprovedResidents({ property, kept, onKeep }: ApprovedProps) {
  const mayKeep = can(useActor(), 'manage residents')
  const { data = [] } = useResidents(property)
  const approved = data.filter(({ residences }) => residences.some((one) => one.approved))
  if (approved.length === 0) return undefined
  return (
    <fieldset className={classes.residents}>
      <legend>Approved residents</legend>
      <p className={classes.quiet}>
        {approved.length === 1 ? 'This person loses' : 'These people lose'} access to the property in the resident app
        {mayKeep ? ', unless you keep it.' : '.'}
      </p>
      <ul>
        {approved.map(({ auth0UserId, name }) => (
          <li key={auth0UserId}>
            <b>{name ?? auth0UserId}</b>
            {mayKeep && (
              <Checkbox
                label="Keep access"
                aria-label={`Keep access of ${name ?? auth0UserId}`}
                checked={kept.includes(auth0UserId)}
                onChange={({ currentTarget: { checked } }) =>
                  onKeep(checked ? [...kept, auth0UserId] : kept.filter((one) => one !== auth0UserId))
                }
              />
            )}
          </li>
        ))}
      </ul>
    </fieldset>
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
