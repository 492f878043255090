import { useCallback, useMemo, useState } from 'react'
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { IconPlus } from '@tabler/icons-react'
import { z } from 'zod'
import type { Tag } from '@caretaker/contract/tags.ts'
import { delayWords } from '@caretaker/rules/alerts/delay.ts'
import { can } from '@caretaker/rules/identity/can.ts'
import { tagNameFault } from '@caretaker/rules/identity/tag-names.ts'
import { useActor } from '../../api/actor.ts'
import { textsOf } from '../../api/errors.ts'
import { tagsQuery } from '../../api/tags.ts'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/forms/fields.tsx'
import { FormDialog } from '../../ui/forms/form-dialog.tsx'
import { useSubmission, useValidForm } from '../../ui/forms/use-form.ts'
import type { GenericColumn } from '../../ui/generic-table.tsx'
import { GenericTable } from '../../ui/generic-table.tsx'
import { Empty } from '../../ui/states.tsx'
import { DeleteButton } from './delete-button.tsx'
import { tagChanges } from './queries.ts'
import classes from './settings.module.css'

interface TagRow extends Tag {
  /** Delays of the alerts that the tag has, in words. */
  delays: string
}

/** The client's tags, with the delays of their alerts. */
export function Tags() {
  const actor = useActor()
  const { data, isError, refetch } = useQuery(tagsQuery(actor.tenant))
  const [adding, setAdding] = useState(false)
  const [deleting, setDeleting] = useState<Tag>()
  const [added, setAdded] = useState<string>()
  const rows = useMemo(
    () =>
      (data?.tags ?? []).map((tag): TagRow => {
        const alerts = data?.alerts.filter(({ tagId }) => tagId === tag.id) ?? []
        return { ...tag, delays: alerts.map(({ delay, delayUnit }) => delayWords(delay, delayUnit)).join(', ') }
      }),
    [data],
  )
  const onDelete = can(actor, 'delete tags') ? setDeleting : undefined
  const columns = useMemo(() => columnsFor(onDelete), [onDelete])
  const phoneRow = useCallback(
    (row: TagRow) => (
      <span className={classes.phoneRow}>
        <span>
          <b className={classes.phoneName}>{row.name}</b>
          {row.delays && <span className={classes.dimmed}>Alerts after {row.delays}</span>}
        </span>
        {onDelete && <DeleteButton name={row.name} onPress={() => onDelete(row)} />}
      </span>
    ),
    [onDelete],
  )
  return (
    <>
      <GenericTable
        label="Tags"
        columns={columns}
        rows={rows}
        rowId={(row) => row.id}
        rowHref={() => undefined}
        status={data ? 'ready' : isError ? 'failed' : 'loading'}
        onRetry={() => void refetch()}
        empty={
          <Empty text="No Tags" hint="Tags put devices together that belong together, whatever building they are in." />
        }
        phoneRow={phoneRow}
        reveal={added}
        actions={
          can(actor, 'manage tags') && (
            <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAdding(true)} disabled={!data}>
              Add tag
            </Button>
          )
        }
      />
      {adding && data && (
        <AddTagDialog others={data.tags} onAdded={({ id }) => setAdded(id)} onClose={() => setAdding(false)} />
      )}
      {deleting && <DeleteTagDialog tag={deleting} onClose={() => setDeleting(undefined)} />}
    </>
  )
}

function columnsFor(onDelete: ((tag: Tag) => void) | undefined): GenericColumn<TagRow>[] {
  return [
    { id: 'name', header: 'Name', width: 320, link: true, value: (row) => row.name, cell: (row) => row.name },
    {
      id: 'alerts',
      header: 'Alerts after',
      width: 240,
      value: (row) => row.delays,
      cell: (row) => row.delays || <span className={classes.dimmed}>–</span>,
    },
    ...(onDelete
      ? [
          {
            id: 'actions',
            header: 'Actions',
            width: 100,
            align: 'end' as const,
            cell: (row: TagRow) => <DeleteButton name={row.name} onPress={() => onDelete(row)} />,
          },
        ]
      : []),
  ]
}

interface AddProps {
  others: readonly Tag[]
  onAdded: (tag: Tag) => void
  onClose: () => void
}

function AddTagDialog({ others, onAdded, onClose }: AddProps) {
  const { tenant } = useActor()
  const queryClient = useQueryClient()
  const form = useValidForm({
    schema: z.object({
      name: z.string().superRefine((name, context) => {
        const fault = tagNameFault(
          name,
          others.map((tag) => tag.name),
        )
        if (fault) context.addIssue(fault)
      }),
    }),
    required: { name: 'Tag name is required!' },
    defaultValues: { name: '' },
  })
  const { create } = tagChanges(queryClient, tenant)
  const submission = useSubmission(form, ({ name }) => [create(name).then(onAdded)], onClose)
  return (
    <FormDialog title="Add tag" verb="Add" form={form} submission={submission} onClose={onClose}>
      <TextField
        form={form}
        name="name"
        label="Name"
        required
        first
        description="Letters and numbers, at most 20, without spaces."
      />
    </FormDialog>
  )
}

function DeleteTagDialog({ tag, onClose }: { tag: Tag; onClose: () => void }) {
  const { tenant } = useActor()
  const { remove } = tagChanges(useQueryClient(), tenant)
  return (
    <ConfirmDialog
      title={`Delete tag ${tag.name}`}
      verb="Delete"
      danger
      onConfirm={() => remove(tag).then(() => true as const, textsOf)}
      onClose={onClose}
    >
      <p>It is taken off every device that carries it, and its alerts go with it.</p>
    </ConfirmDialog>
  )
}
