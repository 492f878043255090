import type { Boiler } from '@caretaker/contract/boilers.ts'
import { heatingUnitWords } from '@caretaker/rules/boilers/details.ts'
import { monitoringWords } from '@caretaker/rules/devices/monitoring.ts'
import { useProductName } from '../../api/product-names.ts'
import { Card } from '../../ui/card.tsx'
import { InlineField, InlineFields } from '../../ui/forms/inline-edit.tsx'
import { DateOf } from '../../ui/zone.tsx'
import classes from './boilers.module.css'

const supported = (yes: boolean) => (yes ? 'Supported' : 'Not supported')

/** The heating source of the property. No call changes it, so it is plain text. */
export function BoilerFacts({ device }: { device: Boiler }) {
  const isBoiler = device.heatingUnit === 'boiler'
  return (
    <Card title={isBoiler ? 'Boiler' : 'Heat pump'}>
      <InlineFields>
        <InlineField label="Manufacturer">{device.manufacturer}</InlineField>
        <InlineField label="Model">{device.model}</InlineField>
        {isBoiler && <InlineField label="GC number">{device.gcNumber}</InlineField>}
        <InlineField label="Heating unit">{heatingUnitWords[device.heatingUnit]}</InlineField>
        {isBoiler && <InlineField label="Remote reset">{supported(device.remoteResetSupported)}</InlineField>}
        <InlineField label="CH max limit">{supported(device.chMaxSupported)}</InlineField>
      </InlineFields>
    </Card>
  )
}

/** Signal strengths in dBm, with the words for a mobile network. */
const signals = [
  [-75, 'good'],
  [-95, 'fair'],
] as const

function signalWord(dBm: number): string {
  return signals.find(([least]) => dBm >= least)?.[1] ?? 'weak'
}

/** The controller of the heating. */
export function ControllerFacts({ device, signal }: { device: Boiler; signal: number | undefined }) {
  const product = useProductName(device.productId)
  return (
    <Card title="Controller">
      <InlineFields>
        <InlineField label="Serial number">
          <span className={classes.serial}>{device.serialNumber}</span>
        </InlineField>
        <InlineField label="Product">{product}</InlineField>
        {device.monitoring && <InlineField label="Monitoring">{monitoringWords[device.monitoring]}</InlineField>}
        <InlineField label="Firmware">{device.firmwareVersion}</InlineField>
        {signal !== undefined && (
          <InlineField label="Signal">
            {signal.toFixed(0).replace('-', '−')} <span className={classes.unit}>dBm, {signalWord(signal)}</span>
          </InlineField>
        )}
        <InlineField label="Installed">
          <DateOf at={device.installedAt} />
        </InlineField>
      </InlineFields>
    </Card>
  )
}
