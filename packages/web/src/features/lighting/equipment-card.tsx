import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { ActionIcon } from '@mantine/core'
import { useLocation } from '@tanstack/react-router'
import { IconPencil } from '../../icons/index.ts'
import type { Emered } from '@caretaker/contract/devices.ts'
import type { Equipment } from '@caretaker/contract/equipment.ts'
import {
  updateEmeredLuminaire,
  updateEmeredMonitoredLedCircuit,
  updateEmeredOperation,
} from '@caretaker/contract/calls/equipment.ts'
import { dayAt, dayFrom, dayText, startOfDay } from '@caretaker/rules/calendar/days.ts'
import type { LuminaireTexts, MonitoredLedCircuit, OperatingMode } from '@caretaker/rules/lighting/luminaire.ts'
import {
  keySwitchText,
  luminaireFaults,
  luminaireOf,
  monitoredLedCircuitWords,
  operatingModes,
  operatingModeWords,
} from '@caretaker/rules/lighting/luminaire.ts'
import { chargeTime, putInBy, isReportOfPreviousBattery } from '@caretaker/rules/lighting/runs.ts'
import { chargeOf, supplyOf } from '@caretaker/rules/lighting/supply.ts'
import { minutesOf } from '@caretaker/rules/lighting/tests.ts'
import { mayEdit } from '../../actions/target.ts'
import { useActor } from '../../api/actor.ts'
import { call } from '../../api/call.ts'
import { useDeviceEdit } from '../../device-page/use-device-edit.ts'
import { useClock, Waiting } from '../../ui/age-view.tsx'
import { Card } from '../../ui/card.tsx'
import { InlineSelect, inlineText } from '../../ui/forms/inline-controls.tsx'
import type { InlineControl, InlineEdit } from '../../ui/forms/inline-edit.tsx'
import { InlineField, InlineFields, useOpenField } from '../../ui/forms/inline-edit.tsx'
import { showSuccess } from '../../ui/toasts.tsx'
import { useZone } from '../../ui/zone.tsx'
import { labelAnchor, useLabelDoubt } from './label-doubt.tsx'
import { ledCircuitChoice } from './led-circuits.tsx'
import { LuminaireForm } from './luminaire-form.tsx'
import classes from './lighting.module.css'

/** The equipment of a light: luminaire, battery and monitored circuit. */
export function EquipmentCard({ device }: { device: Emered }) {
  const { equipment, latestTests } = device
  const actor = useActor()
  const zone = useZone()
  const { tenant } = actor
  const { deviceId, version } = device
  const mayEquip = mayEdit(actor, 'equip light', device)
  const save = useDeviceEdit(device)
  const circuit = equipment.monitoredLedCircuit
  const long = latestTests.find(({ testType }) => testType === 'T180')
  const putIn = equipment.batterySince
  const isOfBatteryBefore = long && putIn && isReportOfPreviousBattery(Date.parse(long.testDate), putIn, zone)
  return (
    <Card title="Emergency equipment" aside={<span className={classes.aside}>Written on the light&apos;s label</span>}>
      <InlineFields>
        <LuminaireRows device={device} mayEquip={mayEquip} />
        <InlineField
          label="Monitored LED circuit"
          edit={
            mayEquip
              ? {
                  value: circuit ?? '',
                  control: ledCircuitChoice,
                  fault: () => undefined,
                  save: (wanted) => {
                    const monitoredLedCircuit = wanted as MonitoredLedCircuit
                    return save(
                      call(updateEmeredMonitoredLedCircuit, {
                        body: { tenant, deviceId, version, monitoredLedCircuit },
                      }),
                    )
                  },
                }
              : undefined
          }
        >
          {circuit && monitoredLedCircuitWords[circuit]}
        </InlineField>
        <OperationRows device={device} mayEquip={mayEquip} />
        <BatteryInstalled device={device} mayEquip={mayEquip} />
        <BatteryCharge device={device} />
        {long?.lasted != null && (
          <InlineField label="Battery lasts">
            {Math.floor(long.lasted / 60)} min{' '}
            <span className={classes.dim}>
              in the last T180, {minutesOf.T180} needed
              {isOfBatteryBefore && ', with the battery before this one'}
            </span>
          </InlineField>
        )}
      </InlineFields>
    </Card>
  )
}

const hour = 3_600_000

/** Whether the battery is full, as reported by the light, and the consequence if not. */
function BatteryCharge({ device: { reported, latestTests, equipment } }: { device: Emered }) {
  const now = useClock()
  const zone = useZone()
  const drained = latestTests.map(({ testType, testDate }) => Date.parse(testDate) + minutesOf[testType] * 60_000)
  const putIn = equipment.batterySince
  const isTested = typeof reported['runningTest'] === 'string'
  const charge = isTested
    ? undefined
    : chargeOf(supplyOf(reported), [...drained, putIn ? putInBy(putIn, zone) : undefined], now)
  if (!charge) return undefined
  return (
    <InlineField label="Battery charge">
      {charge}
      {charge === 'Degraded' && (
        <span className={classes.dim}>, not full after {chargeTime / hour} hours of charge</span>
      )}
    </InlineField>
  )
}

/** The six fields as form values. */
function textsOf({ luminaireName, luminaireType, inverter, batteries: [battery] }: Equipment): LuminaireTexts {
  return {
    name: luminaireName ?? '',
    lampType: luminaireType ?? '',
    inverterType: inverter ?? '',
    batteryType: battery?.type ?? '',
    batteryVoltage: battery?.voltage.toString() ?? '',
    batteryCapacity: battery?.capacity.toString() ?? '',
  }
}

function LuminaireRows({ device, mayEquip }: { device: Emered; mayEquip: boolean }) {
  const { equipment } = device
  const opener = useRef<HTMLButtonElement>(null)
  const field = useOpenField(opener)
  // Changes by others do not affect the form while it is open.
  const [stored, setStored] = useState<LuminaireTexts>()
  const doubt = useLabelDoubt(device)
  const isWanted = useLocation({ select: ({ hash }) => hash === labelAnchor })
  const begin = () => {
    setStored(textsOf(equipment))
    field.open()
  }
  // The link of a label warning opens the form.
  const open = useEffectEvent(begin)
  useEffect(() => {
    // oxlint-disable-next-line react/set-state-in-effect -- the address asks for it
    if (isWanted && mayEquip) open()
  }, [isWanted, mayEquip])
  if (field.isOpen && stored)
    return (
      <div className={classes.open}>
        <dt>Luminaire</dt>
        <dd>
          <LuminaireForm
            device={device}
            stored={stored}
            onClose={field.close}
            onSaved={() => {
              showSuccess('Request Successful')
              field.close()
            }}
          />
        </dd>
      </div>
    )
  const [battery] = equipment.batteries
  return (
    <>
      <InlineField
        label="Luminaire"
        action={
          mayEquip && (
            <ActionIcon ref={opener} size={28} aria-label="Edit luminaire" title="Edit" onClick={begin}>
              <IconPencil size={16} stroke={1.7} aria-hidden />
            </ActionIcon>
          )
        }
      >
        {equipment.luminaireName}
      </InlineField>
      <InlineField label="Lamp type">{equipment.luminaireType}</InlineField>
      <InlineField label="Inverter type">{equipment.inverter}</InlineField>
      <InlineField label="Battery" note={doubt}>
        {battery && `${battery.type}, ${battery.voltage} V, ${battery.capacity} Ah`}
      </InlineField>
    </>
  )
}

const unsaid = ''
const modeChoices = [
  { value: unsaid, label: 'Not set' },
  ...operatingModes.map((mode) => ({ value: mode, label: operatingModeWords[mode] })),
]

const modeChoice = (control: InlineControl) => (
  <InlineSelect control={control} data={modeChoices} placeholder="Not set" />
)

/** Entries required by an inspector's register that no light reports. */
function OperationRows({ device, mayEquip }: { device: Emered; mayEquip: boolean }) {
  const { tenant } = useActor()
  const save = useDeviceEdit(device)
  const { deviceId, version } = device
  const { operatingMode, keySwitch } = device.equipment
  const saveOperation = (operation: { operatingMode: OperatingMode | null } | { keySwitch: string | null }) =>
    save(call(updateEmeredOperation, { body: { tenant, deviceId, version, ...operation } }))
  const mode: InlineEdit = {
    value: operatingMode ?? unsaid,
    control: modeChoice,
    fault: () => undefined,
    save: (wanted) => saveOperation({ operatingMode: (wanted || null) as OperatingMode | null }),
  }
  const place: InlineEdit = {
    value: keySwitch ?? '',
    control: inlineText({ maxLength: keySwitchText }),
    hint: 'Where it is. Leave empty if unknown',
    fault: () => undefined,
    save: (wanted) => saveOperation({ keySwitch: wanted.trim() || null }),
  }
  return (
    <>
      <InlineField label="Operating mode" edit={mayEquip ? mode : undefined}>
        {operatingMode && operatingModeWords[operatingMode]}
      </InlineField>
      <InlineField label="Key switch" edit={mayEquip ? place : undefined}>
        {keySwitch}
      </InlineField>
    </>
  )
}

/** When the battery was installed; can be entered once there is a battery. */
function BatteryInstalled({ device, mayEquip }: { device: Emered; mayEquip: boolean }) {
  const { tenant } = useActor()
  const zone = useZone()
  const save = useDeviceEdit(device)
  const texts = textsOf(device.equipment)
  const isWhole = Object.keys(luminaireFaults(texts)).length === 0
  const installed = device.equipment.batteries[0]?.installedDate
  const edit: InlineEdit = {
    value: installed ? dayText(installed) : '',
    control: inlineText({ placeholder: 'DD/MM/YYYY' }),
    hint: 'DD/MM/YYYY. Leave empty if unknown',
    fault: (text) => {
      if (text.trim() === '') return undefined
      const day = dayFrom(text)
      return day !== undefined && day <= dayAt(Date.now(), zone)
        ? undefined
        : 'Enter a day as DD/MM/YYYY, today at the latest'
    },
    save: (wanted) => {
      const { deviceId, version } = device
      const body = { tenant, deviceId, version, ...luminaireOf(texts) }
      return save(call(updateEmeredLuminaire, { body: { ...body, batteryInstalledDate: dayFrom(wanted) ?? null } }))
    },
  }
  return (
    <InlineField label="Battery installed" edit={mayEquip && isWhole ? edit : undefined}>
      {installed && (
        <>
          {dayText(installed)}{' '}
          <span className={classes.dim}>
            <Waiting since={startOfDay(installed, zone)} /> ago
          </span>
        </>
      )}
    </InlineField>
  )
}
