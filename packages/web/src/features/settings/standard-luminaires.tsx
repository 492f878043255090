import { useCallback, useMemo, useState } from 'react'
import { Button, Switch } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { IconPlus } from '../../icons/index.ts'
import type { StandardLuminaire } from '@caretaker/contract/equipment.ts'
import { putBatteryLimits } from '@caretaker/contract/calls/equipment.ts'
import type { BatteryLimits, LuminaireField, LuminaireTexts } from '@caretaker/rules/lighting/luminaire.ts'
import {
  luminaireFields,
  luminaireLabels,
  luminaireOf,
  usualLimits,
  voltageHint,
} from '@caretaker/rules/lighting/luminaire.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { useActor } from '../../api/actor.ts'
import { listingAddress } from '../../api/listing-address.ts'
import { call } from '../../api/call.ts'
import { showCallError, textsOf } from '../../api/errors.ts'
import type { LuminaireValues } from '../../equipment/luminaire-fields.tsx'
import { LuminaireFields, luminaireSchema } from '../../equipment/luminaire-fields.tsx'
import { batteryLimitsQuery, standardLuminairesQuery } from '../../equipment/queries.ts'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { FormDialog } from '../../ui/forms/form-dialog.tsx'
import { useSubmission, useValidForm } from '../../ui/forms/use-form.ts'
import type { GenericColumn } from '../../ui/generic-table.tsx'
import { GenericTable } from '../../ui/generic-table.tsx'
import { AppLink } from '../../ui/link.tsx'
import { Empty } from '../../ui/states.tsx'
import { DeleteButton } from './delete-button.tsx'
import { standardLuminaireChanges } from './queries.ts'
import classes from './settings.module.css'

/** The client's standard luminaires, each with its number of lights. */
export function StandardLuminaires() {
  const actor = useActor()
  const { data, isError, refetch } = useQuery(standardLuminairesQuery(actor.tenant))
  const { data: limits } = useQuery(batteryLimitsQuery(actor.tenant))
  const [adding, setAdding] = useState(false)
  const [deleting, setDeleting] = useState<StandardLuminaire>()
  const [added, setAdded] = useState<string>()
  const mayManage = can(actor, 'manage standard luminaires')
  const onDelete = mayManage ? setDeleting : undefined
  const columns = useMemo(() => columnsFor(actor.tenant, onDelete), [actor.tenant, onDelete])
  const phoneRow = useCallback(
    (row: StandardLuminaire) => (
      <span className={classes.phoneRow}>
        <span>
          <b className={classes.phoneName}>{row.name}</b>
          <span className={classes.dimmed}>
            {row.lampType}, {row.inverterType}
          </span>
          <span className={classes.dimmed}>
            {row.batteryType}, {row.batteryVoltage} V, {row.batteryCapacity} Ah
          </span>
        </span>
        {onDelete && <DeleteButton name={row.name} onPress={() => onDelete(row)} />}
      </span>
    ),
    [onDelete],
  )
  return (
    <>
      <GenericTable
        label="Standard luminaires"
        columns={columns}
        rows={data ?? none}
        rowId={(row) => row.id}
        rowHref={() => undefined}
        status={data ? 'ready' : isError ? 'failed' : 'loading'}
        onRetry={() => void refetch()}
        empty={
          <Empty
            text="No standard luminaires"
            hint="Add a standard luminaire to fill in the equipment of a light in one step."
          />
        }
        phoneRow={phoneRow}
        reveal={added}
        actions={
          mayManage && (
            <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAdding(true)} disabled={!data}>
              Add luminaire
            </Button>
          )
        }
      />
      {mayManage && limits && <Limits limits={limits} />}
      {adding && data && (
        <AddDialog
          limits={limits ?? usualLimits}
          others={data}
          onAdded={({ id }) => setAdded(id)}
          onClose={() => setAdding(false)}
        />
      )}
      {deleting && <DeleteDialog luminaire={deleting} onClose={() => setDeleting(undefined)} />}
    </>
  )
}

const none: StandardLuminaire[] = []

/** The listing of the counted lights. */
const lightsOf = (tenant: string, name: string) =>
  listingAddress(tenant, 'EmergencyLights', { filters: [{ fieldId: 'luminaire', filterOp: 'equals', value: name }] })

/** Texts are left-aligned, numbers right-aligned. */
const looks: Record<LuminaireField, { header: string; width: number; align?: 'end' }> = {
  name: { header: luminaireLabels.name, width: 180 },
  lampType: { header: luminaireLabels.lampType, width: 120 },
  inverterType: { header: luminaireLabels.inverterType, width: 140 },
  batteryType: { header: luminaireLabels.batteryType, width: 170 },
  batteryVoltage: { header: 'Battery voltage (V)', width: 150, align: 'end' },
  batteryCapacity: { header: 'Battery capacity (Ah)', width: 165, align: 'end' },
}

function columnsFor(
  tenant: string,
  onDelete: ((luminaire: StandardLuminaire) => void) | undefined,
): GenericColumn<StandardLuminaire>[] {
  return [
    ...luminaireFields.map((field) => ({
      id: field,
      ...looks[field],
      link: field === 'name',
      value: (row: StandardLuminaire) => row[field],
      cell: (row: StandardLuminaire) => row[field],
    })),
    {
      id: 'lights',
      header: 'Lights',
      width: 90,
      align: 'end' as const,
      value: (row: StandardLuminaire) => row.lights,
      cell: ({ name, lights }: StandardLuminaire) =>
        lights > 0 ? (
          <AppLink
            className={classes.link}
            href={lightsOf(tenant, name)}
            aria-label={`${lights === 1 ? '1 light' : `${lights} lights`} with ${name}`}
          >
            {lights}
          </AppLink>
        ) : (
          lights
        ),
    },
    ...(onDelete
      ? [
          {
            id: 'actions',
            header: 'Actions',
            width: 100,
            align: 'end' as const,
            cell: (row: StandardLuminaire) => <DeleteButton name={row.name} onPress={() => onDelete(row)} />,
          },
        ]
      : []),
  ]
}

interface AddProps {
  limits: BatteryLimits
  others: readonly StandardLuminaire[]
  onAdded: (luminaire: StandardLuminaire) => void
  onClose: () => void
}

function AddDialog({ limits, others, onAdded, onClose }: AddProps) {
  const { tenant } = useActor()
  const { create } = standardLuminaireChanges(useQueryClient(), tenant)
  const form = useValidForm<LuminaireValues, LuminaireValues>({
    schema: luminaireSchema(limits, others),
    defaultValues: { ...empty },
    draft: { name: 'standard luminaire' },
  })
  const submission = useSubmission(form, (texts) => [create(luminaireOf(texts)).then(onAdded)], onClose)
  const isWrong = (field: LuminaireField) => form.getFieldState(field, form.formState).error !== undefined
  const hint = (field: LuminaireField) => (isWrong(field) ? undefined : hintOf(field, limits))
  return (
    <FormDialog wide title="Add luminaire" verb="Save" form={form} submission={submission} onClose={onClose}>
      <div className={classes.luminaire}>
        <LuminaireFields form={form} disabled={submission.status === 'loading'} below={hint} />
      </div>
    </FormDialog>
  )
}

const empty = Object.fromEntries(luminaireFields.map((field) => [field, ''])) as LuminaireTexts
function hintOf(field: LuminaireField, limits: BatteryLimits): string | undefined {
  if (field === 'batteryVoltage') return voltageHint(limits)
  return field === 'batteryCapacity' ? 'Above 0 and below 20 Ah' : undefined
}

/** Widens the allowed voltages for the whole client. */
function Limits({ limits }: { limits: BatteryLimits }) {
  const { tenant } = useActor()
  const client = useQueryClient()
  const save = useMutation({
    mutationFn: (isWide: boolean) => call(putBatteryLimits, { params: { tenant }, body: { isWide } }),
    onSuccess: (saved) => client.setQueryData(batteryLimitsQuery(tenant).queryKey, saved),
    onError: showCallError,
  })
  return (
    <Switch
      mt="md"
      label="Allow batteries from 2.4 V to 24 V"
      description="For packs of two cells and for lights with a central supply. Otherwise the voltage must be above 2.6 V and at most 12 V."
      checked={limits.isWide}
      disabled={save.isPending}
      onChange={(event) => save.mutate(event.currentTarget.checked)}
    />
  )
}

function DeleteDialog({ luminaire, onClose }: { luminaire: StandardLuminaire; onClose: () => void }) {
  const { tenant } = useActor()
  const { remove } = standardLuminaireChanges(useQueryClient(), tenant)
  return (
    <ConfirmDialog
      title={`Delete luminaire ${luminaire.name}`}
      verb="Delete"
      danger
      onConfirm={() => remove(luminaire).then(() => true as const, textsOf)}
      onClose={onClose}
    >
      <p>No lights are changed. {equipmentKeptText(luminaire.lights)} It can no longer be chosen for others.</p>
    </ConfirmDialog>
  )
}

function equipmentKeptText(lights: number): string {
  if (lights === 0) return 'no light uses it.'
  return lights === 1
    ? 'the light that uses it keeps its equipment.'
    : `the ${lights} lights that use it keep their equipment.`
}
