import { useState } from 'react'
import { Switch } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Boiler, PowerSwitch, Relay } from '@caretaker/contract/boilers.ts'
import { patchPowerSwitchSettings } from '@caretaker/contract/calls/boilers.ts'
import { lastSetting } from '@caretaker/rules/commands/life.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { targetOfDevice } from '../actions/target.ts'
import { useActor } from '../api/actor.ts'
import { call } from '../api/call.ts'
import { commandsQuery } from '../api/device-commands.ts'
import { Card } from '../ui/card.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { showSuccess } from '../ui/toasts.tsx'
import { Confirmation } from './confirmation.tsx'
import { useSend } from './send.ts'
import classes from './heating.module.css'

/** The relays of a heat pump's power switch: desired and reported. */
export function HeatSaviour({ device, powerSwitch }: { device: Boiler; powerSwitch: PowerSwitch }) {
  return (
    <Card title="Heat saviour" actions={<span className={classes.serial}>{powerSwitch.serialNumber}</span>}>
      <div className={classes.relays}>
        {powerSwitch.relays.map((relay) => (
          <RelaySwitch key={relay.relayId} device={device} powerSwitch={powerSwitch} relay={relay} />
        ))}
        {powerSwitch.relays.length === 0 && <span className={classes.what}>Relay state not reported yet.</span>}
      </div>
    </Card>
  )
}

interface RelaySwitchProps {
  device: Boiler
  powerSwitch: PowerSwitch
  relay: Relay
}

const word = (on: boolean) => (on ? 'on' : 'off')

function RelaySwitch({ device, powerSwitch, relay }: RelaySwitchProps) {
  const actor = useActor()
  const { tenant } = actor
  const { relayId, name, desiredPoweredOn: desired, reportedPoweredOn: reported } = relay
  const [asking, setAsking] = useState(false)
  const { data: commands } = useQuery(commandsQuery(tenant, powerSwitch.deviceId))
  const send = useSend(tenant, powerSwitch.deviceId)
  const sendAndShow = useSend(tenant, device.deviceId)
  const subject = { ...powerSwitch, product: 'PS' as const }
  const mayEdit =
    can(actor, 'edit boiler', targetOfDevice(device)) &&
    can(actor, 'switch relay', subject) &&
    !device.userHasReadOnlyAccess &&
    !powerSwitch.userHasReadOnlyAccess
  const isOn = desired ?? reported ?? false
  const turn = (on: boolean) =>
    sendAndShow(() =>
      send(() =>
        call(patchPowerSwitchSettings, {
          params: { tenant, id: powerSwitch.deviceId },
          body: { relayPower: { [relayId]: on } },
        }),
      ),
    )
  const confirm = async () => {
    try {
      await turn(!isOn)
    } catch (error) {
      return [(error as Error).message]
    }
    showSuccess(`Heat Saviour ${isOn ? 'disabled' : 'enabled'} successfully!`)
    return true
  }
  return (
    <div className={classes.relay} role="group" aria-label={name}>
      <span className={classes.relayName}>{name}</span>
      {mayEdit ? (
        <Switch aria-label={name} checked={isOn} size="md" onChange={() => setAsking(true)} />
      ) : (
        <span className={classes.what}>{isOn ? 'On' : 'Off'}</span>
      )}
      <Confirmation
        device={powerSwitch}
        pageOf={device.deviceId}
        command={lastSetting(commands ?? [], 'relay', relayId) ?? null}
        waits={desired !== null && desired !== reported}
        reported={reported === null ? undefined : word(reported)}
        confirmed={isOn ? 'On' : 'Off'}
        onAgain={mayEdit ? () => turn(isOn) : undefined}
      />
      {asking && (
        <ConfirmDialog
          title={`Turn ${word(!isOn)} the ${name.toLowerCase()}?`}
          verb={`Turn ${word(!isOn)}`}
          onConfirm={confirm}
          onClose={() => setAsking(false)}
        >
          <p>
            {switchText(device, powerSwitch)} will switch relay {relayId} {word(!isOn)}.
          </p>
          <p className={classes.consequence}>{consequence(relayId, !isOn)}</p>
        </ConfirmDialog>
      )}
    </div>
  )
}

/** The power switch with its location. */
function switchText({ address, occupierId }: Boiler, { location }: PowerSwitch): string {
  const home = address?.split(',')[0] ?? occupierId
  return `The power switch${location ? ` in the ${location.toLowerCase()}` : ''}${home ? ` of ${home}` : ''}`
}

function consequence(relayId: string, on: boolean): string {
  if (relayId === '1')
    return on
      ? 'The heat pump resumes its programme within a few minutes.'
      : 'The heat pump does not heat the property until it is turned on again.'
  if (relayId === '2')
    return on
      ? 'The heat pump stays on. An immersion heater uses about three times the electricity for the same hot water.'
      : 'Hot water comes only from the heat pump.'
  return 'Equipment connected to the relay has no power while it is off.'
}
