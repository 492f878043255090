import { ActionIcon, Select, TextInput } from '@mantine/core'
import type { Equipment } from '@caretaker/contract/equipment.ts'
import { dayAt, dayText } from '@caretaker/rules/calendar/days.ts'
import { chargeText, nightLabel, nightText } from '@caretaker/rules/lighting/single.ts'
import type { LightPart } from '@caretaker/rules/maintenance/forms.ts'
import { lightPartLabels, lightParts } from '@caretaker/rules/maintenance/forms.ts'
import { mostPhotos } from '@caretaker/rules/maintenance/repairs.ts'
import { IconTrash } from '../icons/index.ts'
import checks from '../ui/check.module.css'
import type { ProofChoice, RepairFaults, RepairFields } from './repair-form.ts'
import { modelsOf } from './repair-form.ts'
import classes from './repair.module.css'
import type { RepairProof } from './use-repair.ts'
import type { RepairPhoto } from './waiting-repairs.ts'

interface FieldsProps {
  fields: RepairFields
  change: (more: Partial<RepairFields>) => void
  /** The errors to show. */
  errors: Partial<RepairFaults>
}

interface PartsProps extends FieldsProps {
  equipment: Equipment | undefined
  isDisabled: boolean
}

/** The replaced parts of a light, each with model and quantity. */
export function RepairParts({ fields, change, errors, equipment, isDisabled }: PartsProps) {
  const { parts } = fields
  const models = modelsOf(equipment)
  const tick = (part: LightPart) => {
    const { [part]: ticked, ...others } = parts
    change({ parts: ticked ? others : { ...parts, [part]: { model: models[part], quantity: 1 } } })
  }
  return (
    <fieldset className={classes.parts} disabled={isDisabled}>
      <legend>Parts replaced</legend>
      {lightParts.map((part) => {
        const ticked = parts[part]
        const set = (more: Partial<typeof ticked>) => change({ parts: { ...parts, [part]: { ...ticked, ...more } } })
        return (
          <div key={part} className={classes.part}>
            <label className={checks.choice}>
              <input type="checkbox" className={checks.box} checked={Boolean(ticked)} onChange={() => tick(part)} />
              {lightPartLabels[part]}
            </label>
            {ticked && (
              <>
                <TextInput
                  aria-label={`Model of ${part}`}
                  placeholder="Model"
                  maxLength={100}
                  value={ticked.model}
                  onChange={(event) => set({ model: event.currentTarget.value })}
                />
                <TextInput
                  type="number"
                  aria-label={`Quantity of ${part}`}
                  min={1}
                  max={20}
                  value={ticked.quantity}
                  onChange={(event) =>
                    set({ quantity: Math.min(20, Math.max(1, Math.floor(Number(event.currentTarget.value)) || 1)) })
                  }
                />
              </>
            )}
          </div>
        )
      })}
      {errors.parts && (
        <p className={classes.wrong} role="alert">
          {errors.parts}
        </p>
      )}
    </fieldset>
  )
}

const belowInput = ['label', 'input', 'description', 'error'] as ('label' | 'input' | 'description' | 'error')[]

interface TimesProps extends FieldsProps {
  hasBattery: boolean
  equipment: Equipment | undefined
  faultBegan: number | undefined
  zone: string
}

/** The time and author of the repair. */
export function RepairTimes({ fields, change, errors, hasBattery, equipment, faultBegan, zone }: TimesProps) {
  return (
    <div className={classes.row}>
      <TextInput
        label="Repaired on"
        description={faultBegan === undefined ? 'DD/MM/YYYY' : `${dayText(dayAt(faultBegan, zone))} or later`}
        inputWrapperOrder={belowInput}
        value={fields.repairedOn}
        error={errors.repairedOn}
        onChange={(event) => change({ repairedOn: event.currentTarget.value })}
      />
      <TextInput
        label="Time"
        description="HH:MM"
        inputWrapperOrder={belowInput}
        value={fields.repairedTime}
        error={errors.repairedTime}
        onChange={(event) => change({ repairedTime: event.currentTarget.value })}
      />
      {hasBattery && (
        <TextInput
          label="Battery fitted on"
          description={
            equipment?.batterySince
              ? `Previous: ${dayText(equipment.batterySince)}`
              : 'If different from the date of the repair'
          }
          inputWrapperOrder={belowInput}
          value={fields.fittedOn}
          error={errors.fittedOn}
          onChange={(event) => change({ fittedOn: event.currentTarget.value })}
        />
      )}
      <TextInput
        label="Repaired by"
        maxLength={100}
        value={fields.repairedBy}
        error={errors.repairedBy}
        onChange={(event) => change({ repairedBy: event.currentTarget.value })}
      />
    </div>
  )
}

interface PhotosProps {
  photos: readonly RepairPhoto[]
  setPhotos: (photos: RepairPhoto[]) => void
  isDisabled: boolean
  /** Whether the fields are kept as a draft, which does not include photographs. */
  isDraft: boolean
  error: string | undefined
}

export function RepairPhotos({ photos, setPhotos, isDisabled, isDraft, error }: PhotosProps) {
  return (
    <fieldset className={classes.parts} disabled={isDisabled}>
      <legend>
        Photos <span>optional, up to {mostPhotos}</span>
      </legend>
      {photos.map(({ requestId, file }, at) => (
        <div key={requestId} className={classes.photo}>
          <span>
            {file.name}, {megabytes(file.size)}
          </span>
          <ActionIcon
            variant="subtle"
            aria-label={`Remove ${file.name}`}
            onClick={() => setPhotos(photos.toSpliced(at, 1))}
          >
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        </div>
      ))}
      {photos.length < mostPhotos && (
        <input
          type="file"
          multiple
          accept="image/jpeg,image/png,image/webp"
          aria-label="Add photo"
          onChange={(event) => {
            setPhotos([...photos, ...[...(event.currentTarget.files ?? [])].map(newPhoto)].slice(0, mostPhotos))
            event.currentTarget.value = ''
          }}
        />
      )}
      {isDraft && photos.length > 0 && (
        <p className={classes.aside}>Photos are not part of the draft. They are kept once the repair is saved.</p>
      )}
      {error && (
        <p className={classes.wrong} role="alert">
          {error}
        </p>
      )}
    </fieldset>
  )
}

interface ProofsProps {
  proof: RepairProof
  change: (more: Partial<RepairFields>) => void
  isDisabled: boolean
  now: number
  zone: string
}

/** The test that proves the repair: a night for a 3-hour test, otherwise an immediate function test. */
export function RepairProofs({ proof, change, isDisabled, now, zone }: ProofsProps) {
  const { choice, needsNight, areNightsKnown, free, night, chargedAt } = proof
  const [first] = free
  const radio = (value: ProofChoice, label: string, text: string) => (
    <label className={classes.proof} data-chosen={choice === value || undefined}>
      <input type="radio" name="proof" checked={choice === value} onChange={() => change({ proof: value })} />
      <span>
        <b>{label}</b>
        <span>{text}</span>
      </span>
    </label>
  )
  const firstNightText = () => {
    if (first)
      return `This light only. ${nightText(Date.parse(first), zone)}.${chargedAt ? ` ${chargeText(chargedAt, zone)}` : ''}`
    return areNightsKnown
      ? 'None of the next 14 nights is free.'
      : 'The free nights are not loaded yet. If you save now, no test is planned.'
  }
  return (
    <fieldset className={classes.proofs} disabled={isDisabled}>
      <legend>Test to prove the repair</legend>
      {needsNight ? (
        <>
          {radio(
            'night',
            first ? nightLabel(Date.parse(first), { now, zone }) : '3-hour test on the next free night',
            firstNightText(),
          )}
          {radio('another', 'Another night', 'Choose one of the next free nights.')}
          {choice === 'another' && (
            <Select
              aria-label="Night of the test"
              allowDeselect={false}
              data={free.map((at) => ({ value: at, label: nightText(Date.parse(at), zone) }))}
              value={night ?? null}
              onChange={(at) => change({ night: at! })}
            />
          )}
        </>
      ) : (
        radio('function', 'Function test now', 'The light tests itself for a few seconds.')
      )}
      {radio('none', 'No test now', 'The fault stays “repaired, not yet proven”.')}
    </fieldset>
  )
}

const megabytes = (bytes: number) => `${(bytes / 1_000_000).toLocaleString('en-GB', { maximumFractionDigits: 1 })} MB`

const newPhoto = (file: File): RepairPhoto => ({ requestId: crypto.randomUUID(), file })
