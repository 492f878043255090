import { useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { Button, Loader, Select } from '@mantine/core'
import { IconAlertCircle } from '../../icons/index.ts'
import type { Device } from '@caretaker/contract/devices.ts'
import { updateEmeredLuminaire } from '@caretaker/contract/calls/equipment.ts'
import type { BatteryLimits, LuminaireField, LuminaireTexts } from '@caretaker/rules/lighting/luminaire.ts'
import {
  luminaireChanges,
  luminaireFields,
  luminaireLabels,
  luminaireOf,
  luminaireTexts,
  usualLimits,
} from '@caretaker/rules/lighting/luminaire.ts'
import { useDeviceEdit } from '../../device-page/use-device-edit.ts'
import { useActor } from '../../api/actor.ts'
import { call } from '../../api/call.ts'
import type { LuminaireValues } from '../../equipment/luminaire-fields.tsx'
import { LuminaireFields, luminaireSchema } from '../../equipment/luminaire-fields.tsx'
import { batteryLimitsQuery, standardLuminairesQuery } from '../../equipment/queries.ts'
import { closesItsList } from '../../ui/forms/inline-edit.tsx'
import { DraftNote } from '../../ui/dialog.tsx'
import { discardDraft, useSubmission, useValidForm } from '../../ui/forms/use-form.ts'
import classes from './lighting.module.css'

interface LuminaireFormProps {
  device: Pick<Device, 'deviceId' | 'version'>
  stored: LuminaireTexts
  onClose: () => void
  onSaved: () => void
}

/** The six fields of the label, which open together as one form. */
export function LuminaireForm(props: LuminaireFormProps) {
  const { tenant } = useActor()
  const { data: limits, isError } = useQuery(batteryLimitsQuery(tenant))
  if (!limits && !isError) return <Loader size="sm" />
  return <LimitedForm {...props} limits={limits ?? usualLimits} />
}

function LimitedForm({ device, stored, limits, onClose, onSaved }: LuminaireFormProps & { limits: BatteryLimits }) {
  const { tenant } = useActor()
  const save = useDeviceEdit(device)
  // The version that the user started from.
  const [version] = useState(device.version)
  const { data: standards } = useQuery(standardLuminairesQuery(tenant))
  const form = useValidForm<LuminaireValues, LuminaireValues>({
    schema: luminaireSchema(limits),
    defaultValues: { ...stored },
    draft: { name: `luminaire ${device.deviceId}` },
  })
  const submission = useSubmission(
    form,
    (texts) => {
      const body = { tenant, deviceId: device.deviceId, version, ...luminaireOf(texts) }
      const sent = call(updateEmeredLuminaire, { body })
      return [sent.then(() => save(sent))]
    },
    onSaved,
  )
  const typed = form.watch()
  const changes = luminaireChanges(stored, typed)
  const sending = submission.status === 'loading'
  const units: Partial<Record<LuminaireField, string>> = { batteryVoltage: ' V', batteryCapacity: ' Ah' }
  const was = (field: LuminaireField) =>
    stored[field] !== '' && changes.includes(field) ? `Was ${stored[field]}${units[field] ?? ''}` : undefined
  const fill = (name: string | null) => {
    const chosen = standards?.find((one) => one.name === name)
    if (!chosen) return
    const texts = luminaireTexts(chosen)
    for (const field of luminaireFields) form.setValue(field, texts[field], { shouldDirty: true })
    void form.trigger()
  }
  return (
    <form
      className={classes.luminaire}
      aria-label="Luminaire"
      noValidate
      onSubmit={(event) => void submission.onSubmit(event)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || sending || closesItsList(event)) return
        event.stopPropagation()
        onClose()
      }}
    >
      {standards && standards.length > 0 && (
        <div className={classes.standard}>
          <Select
            label={
              <>
                Standard luminaire <span className={classes.hint}>Fills in the six fields below</span>
              </>
            }
            placeholder="Choose"
            disabled={sending}
            data={standards.map(({ name }) => name)}
            searchable={standards.length > 12}
            comboboxProps={{ withinPortal: true }}
            value={standards.find((one) => luminaireChanges(luminaireTexts(one), typed).length === 0)?.name ?? null}
            onChange={fill}
          />
          <span className={classes.hint}>or fill them in by hand</span>
        </div>
      )}
      <LuminaireFields form={form} disabled={sending} below={was} />
      {submission.problems.map((problem) => (
        <p key={problem} className={classes.problem} role="alert">
          <IconAlertCircle size={16} aria-hidden />
          {problem}
        </p>
      ))}
      <div className={classes.foot}>
        <p aria-live="polite">
          {changes.length === 0 ? (
            'No changes yet.'
          ) : (
            <>
              <b>
                Changes {changes.length} of {luminaireFields.length}:
              </b>{' '}
              {changes.map((field) => luminaireLabels[field].toLowerCase()).join(', ')}. Results of earlier tests stay
              as they are.
            </>
          )}
        </p>
        {form.formState.isDirty && <DraftNote onDiscard={() => discardDraft(form)} />}
        <Button
          type="submit"
          disabled={changes.length === 0 || !form.formState.isValid || sending}
          leftSection={sending ? <Loader size={14} color="gray" /> : undefined}
        >
          {sending ? 'Sending ...' : 'Save'}
        </Button>
        <Button variant="default" onClick={onClose} disabled={sending}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
