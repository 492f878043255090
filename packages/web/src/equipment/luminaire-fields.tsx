import type { ReactNode } from 'react'
import { useQuery } from '@tanstack/react-query'
import type { OptionsFilter } from '@mantine/core'
import { Autocomplete, Highlight } from '@mantine/core'
import { IconChevronDown } from '../icons/index.ts'
import { batteryTypes } from '@caretaker/rules/lighting/equipment.ts'
import type { BatteryLimits, BatteryType, LuminaireField, LuminaireTexts } from '@caretaker/rules/lighting/luminaire.ts'
import {
  isNameTaken,
  luminaireFaults,
  luminaireFields,
  luminaireLabels,
  luminaireText,
  nameTaken,
  usualVoltage,
} from '@caretaker/rules/lighting/luminaire.ts'
import { useActor } from '../api/actor.ts'
import { TextField, textOf, useField } from '../ui/forms/fields.tsx'
import type { Form } from '../ui/forms/use-form.ts'
import { z } from '../ui/zod.ts'
import { equipmentListsQuery, standardLuminairesQuery } from './queries.ts'
import classes from './luminaire-fields.module.css'
import { optionsFound } from '../ui/options-found.ts'

export type LuminaireValues = LuminaireTexts & Record<string, string>
export type LuminaireFormOf = Form<LuminaireValues, LuminaireValues>

/** The validation of the six fields; the server applies the same rules. `others` are the names already taken. */
export const luminaireSchema = (limits: BatteryLimits, others: readonly { name: string }[] = []) =>
  z.object(Object.fromEntries(luminaireFields.map((field) => [field, z.string()]))).superRefine((given, context) => {
    const texts = given as LuminaireTexts
    const taken = isNameTaken(texts.name, others) ? { name: nameTaken } : {}
    for (const [field, message] of Object.entries({ ...taken, ...luminaireFaults(texts, limits) }))
      context.addIssue({ code: 'custom', path: [field], message })
  }) as unknown as z.ZodType<LuminaireValues, LuminaireValues>

interface FieldsProps {
  form: LuminaireFormOf
  disabled: boolean
  /** The hint below a valid field. */
  below?: (field: LuminaireField) => ReactNode
}

/** The six fields on the label of a light: the same for a light and a standard luminaire. */
export function LuminaireFields({ form, disabled, below }: FieldsProps) {
  const { tenant } = useActor()
  const { data: lists } = useQuery(equipmentListsQuery(tenant))
  const { data: standards } = useQuery(standardLuminairesQuery(tenant))
  const usual = (type: string) => usualVoltage(type as BatteryType, standards ?? [])
  const shared = { form, disabled }
  const field = (name: LuminaireField, control: ReactNode) => (
    <div data-field={name}>
      {control}
      <Below text={below?.(name)} />
    </div>
  )
  return (
    <div className={classes.fields}>
      {field(
        'name',
        <TextField {...shared} name="name" label={luminaireLabels.name} maxLength={luminaireText} first />,
      )}
      {field('lampType', <ChoiceField {...shared} name="lampType" offered={lists?.lampTypes} />)}
      {field('inverterType', <ChoiceField {...shared} name="inverterType" offered={lists?.inverterTypes} />)}
      {field('batteryType', <ChoiceField {...shared} name="batteryType" offered={batteryTypes} aside={usual} />)}
      {field(
        'batteryVoltage',
        <ChoiceField {...shared} name="batteryVoltage" offered={lists?.batteryVoltage} unit="V" />,
      )}
      {field(
        'batteryCapacity',
        <ChoiceField {...shared} name="batteryCapacity" offered={lists?.batteryCapacity} unit="Ah" />,
      )}
    </div>
  )
}

const Below = ({ text }: { text: ReactNode }) => (text ? <p className={classes.below}>{text}</p> : undefined)

interface ChoiceProps {
  form: LuminaireFormOf
  name: Exclude<LuminaireField, 'name'>
  offered: readonly (string | number)[] | undefined
  /** The unit, for a number. */
  unit?: string
  /** The usual voltage, shown beside an option. */
  aside?: (offered: string) => number | undefined
  disabled: boolean
}

/** A field with common values that accepts other text. */
function ChoiceField({ form, name, offered = [], unit, aside, disabled }: ChoiceProps) {
  const { inputRef, value, change, leave, error } = useField({ form, name })
  const text = textOf(value)
  return (
    <Autocomplete
      ref={inputRef}
      label={luminaireLabels[name]}
      placeholder={unit ? undefined : 'Choose or type'}
      disabled={disabled}
      data={offered.map(String)}
      filter={unit ? all : fitting}
      maxLength={luminaireText}
      comboboxProps={{ withinPortal: true }}
      {...(unit && { inputMode: 'decimal' as const })}
      rightSection={unit ? <span className={classes.unit}>{unit}</span> : <IconChevronDown size={16} aria-hidden />}
      rightSectionPointerEvents="none"
      {...(aside && {
        renderOption: ({ option }) => <Offered text={option.value} typed={text} usual={aside(option.value)} />,
      })}
      value={text}
      onChange={change}
      onBlur={leave}
      error={error}
    />
  )
}

/** Options that contain the typed text; all options once one is selected, so that another can be chosen. */
const fitting: OptionsFilter = ({ options, search, limit }) => {
  const typed = search.trim().toLowerCase()
  const isChosen = options.some((option) => 'label' in option && option.label.toLowerCase() === typed)
  return isChosen ? options : optionsFound({ options, search, limit })
}
/** Numbers are not filtered: 4 matches neither 2.4 nor 12. */
const all: OptionsFilter = ({ options }) => options

function Offered({ text, typed, usual }: { text: string; typed: string; usual: number | undefined }) {
  return (
    <span className={classes.offered}>
      <Highlight component="span" highlight={typed === text ? '' : typed} highlightStyles={marked}>
        {text}
      </Highlight>
      {usual !== undefined && <span className={classes.unit}> usual {usual} V</span>}
    </span>
  )
}
const marked = { background: 'none', color: 'var(--link)', fontWeight: 600 }
