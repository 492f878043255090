import { refuse } from '@caretaker/contract/refusal.ts'
import type { BatteryLimits } from '@caretaker/rules/lighting/luminaire.ts'
import { usualLimits, voltageFault } from '@caretaker/rules/lighting/luminaire.ts'
import type { Recorded } from '../../audit/audit.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { mergedSettings, updateTenant } from '../../tenants/tenants.ts'

/** The battery voltages that the tenant accepts. */
export async function batteryLimitsOf(tx: TenantTx): Promise<BatteryLimits> {
  const { settings } = await tx
    .selectFrom('tenant')
    .select('settings')
    .where('id', '=', tx.tenant)
    .executeTakeFirstOrThrow()
  return { isWide: settings['wideBatteryVoltages'] === true || usualLimits.isWide }
}

/** Widens the accepted voltages, or resets them. Luminaires keep their values. */
export async function setBatteryLimits(
  { tx, person }: { tx: TenantTx; person: Recorded },
  { isWide }: BatteryLimits,
): Promise<BatteryLimits> {
  const { settings, display_name: name } = await tx
    .selectFrom('tenant')
    .select(['settings', 'display_name'])
    .where('id', '=', tx.tenant)
    .forUpdate()
    .executeTakeFirstOrThrow()
  const was = settings['wideBatteryVoltages'] === true
  if (was === isWide) return { isWide }
  await updateTenant(tx, person, {
    ...{
      columns: { settings: mergedSettings({ wideBatteryVoltages: isWide }) },
      action: 'battery limits changed',
      name,
    },
    changes: { before: { isWide: was }, after: { isWide } },
  })
  return { isWide }
}

/** Refuses a voltage that the tenant does not accept, with the message of the field. */
export async function checkVoltage(tx: TenantTx, volts: number): Promise<void> {
  const message = voltageFault(volts, await batteryLimitsOf(tx))
  if (message) throw refuse('invalid', undefined, [{ field: 'batteryVoltage', message }])
}
