import { useEffect, useRef, useState } from 'react'
import type { KeyboardEvent } from 'react'
import { Button, MultiSelect, Select, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useWatch } from 'react-hook-form'
import { IconAlertCircle, IconAt, IconBuilding, IconLock, IconMail, IconTag } from '../../../icons/index.ts'
import type { AlertDefinition } from '@caretaker/contract/alerts.ts'
import type { Tag } from '@caretaker/contract/tags.ts'
import { delayInSentence, delayUnits, notificationTypes, triggerTypes } from '@caretaker/rules/alerts/delay.ts'
import type { TriggerType } from '@caretaker/rules/alerts/delay.ts'
import type { Definition } from '@caretaker/rules/alerts/definition.ts'
import { definitionFaults } from '@caretaker/rules/alerts/definition.ts'
import type { Scope } from '@caretaker/rules/alerts/scope.ts'
import { families, familyNames } from '@caretaker/rules/alerts/scope.ts'
import { conditionsOf, isOfHome } from '@caretaker/rules/alerts/triggers.ts'
import { useActor } from '../../../api/actor.ts'
import { useField } from '../../../ui/forms/fields.tsx'
import type { Form } from '../../../ui/forms/use-form.ts'
import { discardDraft, useSubmission, useValidForm } from '../../../ui/forms/use-form.ts'
import { DraftNote } from '../../../ui/dialog.tsx'
import { useToday } from '../../../ui/age-view.tsx'
import { z } from '../../../ui/zod.ts'
import { DraftPreview } from './draft-preview.tsx'
import { conditionText } from './condition-text.ts'
import { alertRuleChanges, buildingsQuery, draftPreviewQuery } from './queries.ts'
import classes from './alerts.module.css'

const covers = ['tag', 'family', 'all'] as const
type Covers = (typeof covers)[number]
const coversWords: Record<Covers, string> = { tag: 'a device tagged', family: 'a device of type', all: 'any device' }

/** A rule in the form: a delay is text while being typed. */
interface Written extends Record<string, string | string[]> {
  covers: Covers
  families: string[]
  buildingIds: string[]
  tagIds: string[]
  delay: string
  delayUnit: Definition['delayUnit']
  notificationType: Definition['notificationType']
  notificationTarget: string
  triggerType: TriggerType
  triggerCondition: string
}

const fresh: Written = {
  ...{ covers: 'tag', families: [], buildingIds: [], tagIds: [] },
  ...{ delay: '30', delayUnit: 'mins', notificationType: 'EMAIL', notificationTarget: '' },
  ...{ triggerType: 'DEVICESTATUS', triggerCondition: 'FailedEquipment' },
}

const writtenOf = (rule: AlertDefinition): Written => ({
  ...{ covers: coversOf(rule.scope), families: [...rule.scope.families] },
  ...{ buildingIds: [...rule.scope.buildingIds], tagIds: [...rule.scope.tagIds] },
  ...{ delay: String(rule.delay), delayUnit: rule.delayUnit },
  ...{ notificationType: rule.notificationType, notificationTarget: rule.notificationTarget },
  ...{ triggerType: rule.triggerType, triggerCondition: rule.triggerCondition },
})

const coversOf = ({ families: some, tagIds }: Scope): Covers => (some.length ? 'family' : tagIds.length ? 'tag' : 'all')

/** The scope from the visible parts; undefined while a required part is missing. */
function scopeIn({ covers: what, families: some, buildingIds, tagIds }: Written): Scope | undefined {
  if (what === 'tag') return tagIds.length ? { families: [], buildingIds, tagIds } : undefined
  if (what === 'all') return { families: [], buildingIds, tagIds: [] }
  return some.length ? { families: some as Scope['families'], buildingIds, tagIds } : undefined
}

function definitionOf(written: Written): Definition {
  const { delayUnit, notificationType, notificationTarget, triggerType, triggerCondition } = written
  const scope = scopeIn(written)
  const isOneTag = scope?.tagIds.length === 1 && !scope.families.length && !scope.buildingIds.length
  return {
    tagId: isOneTag ? scope.tagIds[0]! : '',
    ...(scope && { scope }),
    delay: written.delay.trim() === '' ? Number.NaN : Number(written.delay),
    ...{ delayUnit, notificationType, notificationTarget, triggerType, triggerCondition },
  }
}

/** The errors of a rule, each at the part of the sentence it is about. */
const faultsOf = (written: Written): { field: string; message: string }[] =>
  definitionFaults(definitionOf(written)).map(({ field, message }) => {
    if (field !== 'tagId') return { field, message }
    return written.covers === 'family'
      ? { field: 'families', message: 'Type of device is required' }
      : { field: 'tagIds', message }
  })

const schema = z
  .record(z.string(), z.union([z.string(), z.array(z.string())]))
  .superRefine((written, context) => {
    for (const { field, message } of faultsOf(written as Written))
      context.addIssue({ code: 'custom', path: [field], message })
  })
  .transform((written) => definitionOf(written as Written))

const triggerWords: Record<TriggerType, string> = {
  NONE: 'nothing',
  DEVICESTATUS: 'Device status',
  CONNECTIONSTATUS: 'Connection status',
  ALERTABLEEVENT: 'Event',
}
const notificationWords = { NONE: 'Nothing', EMAIL: 'E-mail', EMAILUNEDITABLE: 'E-mail' } as const

interface EditorProps {
  /** The stored rule; undefined for a new one. */
  rule?: AlertDefinition | undefined
  /** How often the stored rule sent alerts in the last thirty days. */
  stored?: number | undefined
  tags: readonly Tag[]
  onSaved: (rule: AlertDefinition) => void
  onCancel: () => void
}

/** A rule as a sentence in place of its row, with a preview of the alerts it would have sent. */
export function AlertEditor({ rule, stored, tags, onSaved, onCancel }: EditorProps) {
  const { tenant } = useActor()
  const { save } = alertRuleChanges(useQueryClient(), tenant)
  // The version that the fields show: the row is refreshed while someone edits it.
  const [opened] = useState(rule)
  const form = useValidForm({
    schema: schema as unknown as z.ZodType<Definition & Record<string, unknown>, Written>,
    defaultValues: rule ? writtenOf(rule) : fresh,
    draft: { name: `alert ${rule?.alertId ?? 'new'}` },
  }) as unknown as Form<Written, Definition>
  const submission = useSubmission(
    form,
    (values) => [save({ ...values, enabled: rule?.enabled }, opened).then(onSaved)],
    () => {},
  )
  const written = useWatch({ control: form.control }) as Written
  const { data: buildings } = useQuery(buildingsQuery(tenant))
  const isFixed = rule?.notificationType === 'EMAILUNEDITABLE'
  const busy = submission.status === 'loading'
  const place = useRef<HTMLFormElement>(null)
  useEffect(() => place.current?.querySelector<HTMLElement>('input')?.focus({ preventScroll: false }), [])
  const onKeyDown = (event: KeyboardEvent<HTMLFormElement>) => {
    const isChoosing = (event.target as HTMLElement).getAttribute('aria-expanded') === 'true'
    if (event.key !== 'Escape' || isChoosing || busy) return
    event.stopPropagation()
    onCancel()
  }
  const chooseTrigger = (type: string) => {
    form.setValue('triggerCondition', conditionsOf(type as TriggerType).find(Boolean) ?? '', { shouldDirty: true })
  }
  const canSave = (form.formState.isValid || !form.formState.isDirty) && !busy
  return (
    <form
      ref={place}
      className={classes.editor}
      aria-label={rule ? `Edit alert of ${rule.covers}` : 'New alert'}
      noValidate
      onSubmit={(event) => void submission.onSubmit(event)}
      onKeyDown={onKeyDown}
    >
      <div className={classes.sentence}>
        <div className={classes.words}>
          <span>When</span>
          <Choice
            form={form}
            name="covers"
            label="Devices"
            data={covers.map((value) => ({ value, label: coversWords[value] }))}
          />
          {written.covers === 'family' && (
            <Choices
              form={form}
              name="families"
              label="Type of device"
              placeholder="Choose a type"
              data={families.map((family) => ({ value: family, label: familyNames[family] }))}
            />
          )}
          {written.covers === 'family' && <span>tagged</span>}
          {written.covers !== 'all' && (
            <Choices
              form={form}
              name="tagIds"
              label="Tag"
              placeholder={written.covers === 'tag' ? 'Choose a tag' : 'with any tag or none'}
              icon={<IconTag size={16} aria-hidden />}
              data={tags.map(({ id, name }) => ({ value: id, label: name }))}
            />
          )}
          {(buildings ?? []).length > 0 && (
            <>
              <span>in</span>
              <Choices
                form={form}
                name="buildingIds"
                label="Buildings"
                placeholder="all buildings and properties"
                icon={<IconBuilding size={16} aria-hidden />}
                data={(buildings ?? []).map(({ building, name }) => ({ value: building, label: name }))}
              />
            </>
          )}
          <span>has the</span>
          <Choice
            form={form}
            name="triggerType"
            label="Trigger"
            data={triggerTypes.map((value) => ({ value, label: triggerWords[value] }))}
            onChosen={chooseTrigger}
          />
          {written.triggerType !== 'NONE' && (
            <Choice
              form={form}
              name="triggerCondition"
              label="Condition"
              wide
              blank={written.triggerType === 'DEVICESTATUS'}
              data={conditionsOf(written.triggerType).map((value) => ({
                value,
                label: conditionText(written.triggerType, value),
              }))}
            />
          )}
        </div>
        <div className={classes.words}>
          <span>for</span>
          <Text form={form} name="delay" label="Delay" narrow />
          <Choice
            form={form}
            name="delayUnit"
            label="Unit"
            narrow
            data={delayUnits.map((value) => ({ value, label: value }))}
          />
          <span>send {written.notificationType === 'NONE' ? '' : 'an'}</span>
          <Choice
            form={form}
            name="notificationType"
            label="Notification"
            disabled={isFixed}
            icon={<IconMail size={16} aria-hidden />}
            data={notificationTypes
              .filter((value) => (value === 'EMAILUNEDITABLE') === isFixed || (value === 'NONE' && !isFixed))
              .map((value) => ({ value, label: notificationWords[value] }))}
          />
          {written.notificationType !== 'NONE' && (
            <>
              <span>to</span>
              <Text
                form={form}
                name="notificationTarget"
                label="E-mail address"
                disabled={isFixed}
                icon={isFixed ? <IconLock size={16} aria-hidden /> : <IconAt size={16} aria-hidden />}
              />
            </>
          )}
        </div>
        {isOfHome(written.triggerType, written.triggerCondition) && (
          <p className={classes.keys}>
            This condition is about properties. The alert covers properties in the chosen buildings that have a device
            with one of the chosen tags. Device types apply only to devices that are not assigned to a property.
          </p>
        )}
        {submission.problems.map((problem) => (
          <p key={problem} className={classes.problem} role="alert">
            {problem}
          </p>
        ))}
        <div className={classes.buttons}>
          <Button type="submit" disabled={!canSave} loading={busy}>
            Save
          </Button>
          <Button variant="default" onClick={onCancel} disabled={busy}>
            Cancel
          </Button>
          {form.formState.isDirty && <DraftNote onDiscard={() => discardDraft(form)} />}
          <span className={classes.keys}>Enter saves, Esc cancels</span>
        </div>
      </div>
      <Beside written={written} rule={rule} stored={stored} />
    </form>
  )
}

function Beside({ written, rule, stored }: { written: Written } & Pick<EditorProps, 'rule' | 'stored'>) {
  const { tenant } = useActor()
  const [held] = useDebouncedValue(written, 300)
  const heldDefinition = definitionOf(held)
  const faults = faultsOf({ ...held, notificationType: 'NONE' })
  const preview = useQuery({
    ...draftPreviewQuery(tenant, heldDefinition, faults.length === 0),
    placeholderData: keepPreviousData,
  })
  const before =
    rule && stored !== undefined && (heldDefinition.delay !== rule.delay || heldDefinition.delayUnit !== rule.delayUnit)
      ? `with ${delayInSentence(rule.delay, rule.delayUnit)} it was ${stored}`
      : undefined
  return (
    <DraftPreview
      today={useToday()}
      missing={
        !heldDefinition.scope
          ? 'Choose the devices to see how often this rule would have alerted you.'
          : faults[0]?.message
      }
      preview={faults.length ? undefined : preview.data}
      failed={preview.isError}
      before={before}
    />
  )
}

interface PartProps {
  form: Form<Written, Definition>
  name: string
  label: string
  narrow?: boolean
  wide?: boolean
  disabled?: boolean
  icon?: React.ReactNode
}

/** The error for a part of the sentence, shown below it. */
const errorView = (error: string | undefined) =>
  error && (
    <span className={classes.fault}>
      <IconAlertCircle size={14} aria-hidden />
      {error}
    </span>
  )

interface ChoiceProps extends PartProps {
  data: { value: string; label: string }[]
  placeholder?: string
  /** Whether the empty option is offered, shown blank. */
  blank?: boolean
  onChosen?: (value: string) => void
}

/** A multiple choice; hidden if not wanted. */
function Choices({ form, name, label, data, placeholder, icon }: ChoiceProps) {
  const { inputRef, value, change, leave, error } = useField({ form, name })
  const chosen = value as string[]
  return (
    <MultiSelect
      ref={inputRef}
      className={`${classes.part} ${classes.several}`}
      aria-label={label}
      data={data}
      placeholder={chosen.length ? '' : (placeholder ?? '')}
      leftSection={icon}
      searchable={data.length > 12}
      nothingFoundMessage="Nothing found"
      comboboxProps={{ withinPortal: true }}
      value={chosen}
      onChange={change}
      onBlur={leave}
      error={errorView(error)}
    />
  )
}

function Choice({ form, name, label, data, placeholder, narrow, wide, blank, disabled, icon, onChosen }: ChoiceProps) {
  const { inputRef, value, change, leave, error } = useField({ form, name })
  const chosen = value as string
  return (
    <Select
      ref={inputRef}
      className={`${classes.part} ${narrow ? classes.narrow : wide ? classes.wide : ''}`}
      aria-label={label}
      data={data}
      placeholder={placeholder ?? ''}
      leftSection={icon}
      disabled={disabled ?? false}
      allowDeselect={false}
      searchable={data.length > 12}
      comboboxProps={{ withinPortal: true }}
      value={chosen || (blank ? '' : null)}
      onChange={(next) => {
        change(next ?? '')
        onChosen?.(next ?? '')
      }}
      onBlur={leave}
      error={errorView(error)}
    />
  )
}

function Text({ form, name, label, narrow, disabled, icon }: PartProps) {
  const { inputRef, value, change, leave, error } = useField({ form, name })
  return (
    <TextInput
      ref={inputRef}
      className={`${classes.part} ${narrow ? classes.number : classes.address}`}
      aria-label={label}
      inputMode={narrow ? 'numeric' : 'email'}
      autoComplete="off"
      leftSection={icon}
      disabled={disabled ?? false}
      value={value as string}
      onChange={(event) => change(event.currentTarget.value)}
      onBlur={leave}
      error={errorView(error)}
    />
  )
}
