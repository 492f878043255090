import type { ReactNode } from 'react'
import { Button, Loader, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { IconFlame, IconVolume } from '../../icons/index.ts'
import type { Boiler } from '@caretaker/contract/boilers.ts'
import {
  patchBcmSettings,
  toggleBoilerBuzzer,
  toggleCHAccess,
  updateChSetPoint,
} from '@caretaker/contract/calls/boilers.ts'
import { voidHeatingMax } from '@caretaker/rules/boilers/details.ts'
import type { BoilerSetting } from '@caretaker/rules/boilers/settings.ts'
import {
  boilerSettings,
  chLimitTemperature,
  chMaxFault,
  chMaxRange,
  dhwRange,
  dhwSetPointFault,
} from '@caretaker/rules/boilers/settings.ts'
import { thermostatWirings } from '@caretaker/rules/boilers/thermostats.ts'
import { lastSetting } from '@caretaker/rules/commands/life.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { targetOfDevice } from '../../actions/target.ts'
import { useActor } from '../../api/actor.ts'
import { call } from '../../api/call.ts'
import { commandsQuery } from '../../api/device-commands.ts'
import { showError } from '../../ui/toasts.tsx'
import { Card } from '../../ui/card.tsx'
import type { InlineControl } from '../../ui/forms/inline-edit.tsx'
import { InlineField, InlineFields } from '../../ui/forms/inline-edit.tsx'
import { Confirmation } from '../../heating/confirmation.tsx'
import { useSend } from '../../heating/send.ts'
import classes from './boilers.module.css'

/**
 * The heating settings: the desired value, and below it the state reported by the device. Unsupported settings are left
 * out.
 */
export function HeatingSettings({ device }: { device: Boiler }) {
  const { chMaxSupported, supportsDhwSetPoint, hasBuzzer, settings } = device
  const hasChMax = chMaxSupported || settings.chMax.reported !== null
  const hasAny = hasChMax || supportsDhwSetPoint || hasBuzzer || device.thermostatKind !== null
  if (!hasAny) return undefined
  return (
    <Card title="Heating settings" actions={<span className={classes.aside}>Sent to the device when saved</span>}>
      <InlineFields>
        {hasChMax && <ChMax device={device} />}
        {supportsDhwSetPoint && <DhwSetPoint device={device} />}
        {hasBuzzer && <Toggle device={device} setting="buzzer" />}
        {chMaxSupported && <Toggle device={device} setting="chLimit" />}
        <InlineField label="Thermostat">
          {device.thermostatKind && thermostatWirings[device.thermostatKind]}
        </InlineField>
      </InlineFields>
    </Card>
  )
}

/** A temperature with its unit. */
const Degrees = ({ value }: { value: number }) => (
  <>
    {value} <span className={classes.unit}>°C</span>
  </>
)

function useSetting(device: Boiler, setting: BoilerSetting) {
  const actor = useActor()
  const { data: commands } = useQuery(commandsQuery(actor.tenant, device.deviceId))
  const { desired, reported } = device.settings[setting]
  return {
    tenant: actor.tenant,
    mayEdit: can(actor, 'edit boiler', targetOfDevice(device)) && !device.userHasReadOnlyAccess,
    value: desired ?? reported,
    isAsked: desired !== null,
    waits: desired !== null && desired !== reported,
    command: commands && (lastSetting(commands, setting) ?? null),
    send: useSend(actor.tenant, device.deviceId),
  }
}

interface Range {
  min: number
  max: number
}

interface TemperatureProps {
  device: Boiler
  setting: 'chMax' | 'dhwSetPoint'
  range: Range
  fault: (text: string) => string | undefined
  ask: (tenant: string, value: number) => Promise<unknown>
}

function Temperature({ device, setting, range, fault, ask }: TemperatureProps) {
  const { tenant, mayEdit, value, isAsked, waits, command, send } = useSetting(device, setting)
  const { reported } = device.settings[setting]
  const change = (wanted: number) => send(() => ask(tenant, wanted))
  return (
    <InlineField
      label={boilerSettings[setting].label}
      note={
        <Confirmation
          device={device}
          command={command}
          waits={waits}
          reported={reported === null ? undefined : `${reported} °C`}
          confirmed={isAsked ? `${value} °C` : undefined}
          onAgain={mayEdit && typeof value === 'number' ? () => change(value) : undefined}
        />
      }
      edit={
        mayEdit
          ? {
              value: value === null ? '' : String(value),
              control: temperatureIn(range),
              fault,
              save: (text) => change(Number(text)),
              hint: `${range.min} to ${range.max} °C.${reported === null ? '' : ` Now ${reported} °C on the device.`}`,
            }
          : undefined
      }
    >
      {typeof value === 'number' && <Degrees value={value} />}
    </InlineField>
  )
}

/** The control of a temperature: a number, and a slider for pointers. */
const temperatureIn =
  (range: Range) =>
  ({ value, change, disabled, invalid, labelledBy, describedBy }: InlineControl) => (
    <div className={classes.temperature}>
      <TextInput
        className={classes.degrees}
        aria-labelledby={labelledBy}
        aria-describedby={describedBy}
        inputMode="decimal"
        autoComplete="off"
        disabled={disabled}
        error={invalid}
        value={value}
        onChange={(event) => change(event.currentTarget.value)}
        rightSection={<span className={classes.unit}>°C</span>}
      />
      <input
        type="range"
        className={classes.slider}
        {...range}
        disabled={disabled}
        value={Number(value) || range.min}
        onChange={(event) => change(event.currentTarget.value)}
        tabIndex={-1}
        aria-hidden
      />
    </div>
  )

function ChMax({ device }: { device: Boiler }) {
  const { deviceId } = device
  if (device.occupancy === 'Void')
    return (
      <InlineField
        label={boilerSettings.chMax.label}
        note={`The property is void: the heating is held at ${voidHeatingMax} °C, regardless of its settings.`}
      >
        {`${device.heatingMax}°C`}
      </InlineField>
    )
  return (
    <Temperature
      device={device}
      setting="chMax"
      range={chMaxRange}
      fault={chMaxFault}
      ask={(tenant, chSetPoint) => call(updateChSetPoint, { body: { tenant, deviceId, chSetPoint } })}
    />
  )
}

function DhwSetPoint({ device }: { device: Boiler }) {
  return (
    <Temperature
      device={device}
      setting="dhwSetPoint"
      range={dhwRange}
      fault={dhwSetPointFault}
      ask={(tenant, dhwSetPoint) =>
        call(patchBcmSettings, { params: { tenant, id: device.deviceId }, body: { dhwSetPoint } })
      }
    />
  )
}

/** Texts of the devices specification, section 4: button labels are states, not actions. */
const toggles = {
  buzzer: {
    active: 'Buzzer is on',
    inactive: 'Turn buzzer on',
    off: 'Buzzer is off',
    icon: IconVolume,
    what: 'Sounds in the property while a fault is active',
    route: toggleBoilerBuzzer,
  },
  chLimit: {
    active: 'CH Max Limited',
    inactive: 'Limit CH Max',
    off: 'Not limited',
    icon: IconFlame,
    what: `Holds radiators at ${chLimitTemperature} °C until turned off`,
    route: toggleCHAccess,
  },
} as const

function Toggle({ device, setting }: { device: Boiler; setting: keyof typeof toggles }) {
  const { tenant, mayEdit, value, isAsked, waits, command, send } = useSetting(device, setting)
  const { active, inactive, off, icon: Icon, what, route } = toggles[setting]
  const { deviceId } = device
  const reported = device.settings[setting].reported
  // The button shows the reported state; the desired one is below until the device confirms.
  const isOn = reported === true
  const isWanted = value === true
  const ask = (isLimited: boolean) => send(() => call(route, { body: { tenant, deviceId, isLimited } }))
  const toggle = useMutation({
    mutationFn: () => ask(!isOn),
    onError: (error) => showError(error.message),
  })
  const text: ReactNode = mayEdit ? <span className={classes.what}>{what}</span> : isOn ? active : off
  return (
    <InlineField
      label={boilerSettings[setting].label}
      note={
        <Confirmation
          device={device}
          command={command}
          waits={waits}
          reported={reported === null ? undefined : reported ? 'on' : 'off'}
          confirmed={isAsked ? (isWanted ? 'On' : 'Off') : undefined}
          onAgain={mayEdit ? () => ask(isWanted) : undefined}
        />
      }
      action={
        mayEdit && (
          <Button
            variant={isOn && !toggle.isPending ? 'light' : 'default'}
            aria-pressed={isOn}
            disabled={toggle.isPending}
            leftSection={
              toggle.isPending ? <Loader size={14} color="gray" /> : <Icon size={16} stroke={1.8} aria-hidden />
            }
            onClick={() => toggle.mutate()}
          >
            {toggle.isPending ? 'Sending ...' : isOn ? active : inactive}
          </Button>
        )
      }
    >
      {text}
    </InlineField>
  )
}
