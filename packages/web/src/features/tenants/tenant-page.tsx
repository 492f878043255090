import { useState } from 'react'
import type { ReactNode } from 'react'
import { Button, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams, useRouter } from '@tanstack/react-router'
import { IconLock } from '../../icons/index.ts'
import { CallError } from '@caretaker/contract/error-texts.ts'
import type { TenantSetup } from '@caretaker/contract/tenant-administration.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { initialsOf } from '@caretaker/rules/tenants/clients.ts'
import { longestTenantId } from '@caretaker/rules/tenants/tenant-id.ts'
import { useActor, usePresence } from '../../api/actor.ts'
import { showCallError } from '../../api/errors.ts'
import { usePageTitle } from '../../api/page-title.ts'
import { Card } from '../../ui/card.tsx'
import { DraftNote } from '../../ui/dialog.tsx'
import { useDraft } from '../../ui/draft.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { Failed, Loading, NotFound } from '../../ui/states.tsx'
import type { TenantRecord } from './queries.ts'
import { setupQuery, tenantChanges } from './queries.ts'
import { ExportCard } from './export-card.tsx'
import { SetupCards, SetupSide } from './setup-cards.tsx'
import classes from './tenants.module.css'

const emptyRecord: TenantRecord = { id: '', name: '', contact: '' }

export function AddTenantPage() {
  const { actor, client } = usePresence()
  usePageTitle('Add new tenant', client.displayName)
  const { add } = tenantChanges(useQueryClient(), actor.tenant, '')
  return (
    <Page title="Add new tenant">
      <div className={classes.main}>
        <TenantForm stored={emptyRecord} isNew save={add} />
      </div>
    </Page>
  )
}

export function EditTenantPage() {
  const { actor, client } = usePresence()
  usePageTitle('Update tenant', client.displayName)
  const tenant = String((useParams({ strict: false }) as { tenantId?: string }).tenantId).toLowerCase()
  const { data, error, refetch } = useQuery(setupQuery(actor.tenant, tenant))
  const changes = tenantChanges(useQueryClient(), actor.tenant, tenant)
  const back = { href: pathTo(actor.tenant, 'Settings', 'Tenants'), label: 'Tenants' }
  if (!data && error)
    return error instanceof CallError && [400, 404].includes(error.status) ? (
      <NotFound back={back} />
    ) : (
      <Failed onRetry={() => void refetch()} />
    )
  return (
    <Page title="Update tenant" setup={data}>
      {data ? (
        <>
          <div className={classes.main}>
            <TenantForm key={data.id} stored={data} save={changes.edit} />
            <SetupCards setup={data} changes={changes} />
          </div>
          <div className={classes.side}>
            <SetupSide setup={data} changes={changes} />
            <ExportCard setup={data} changes={changes} />
          </div>
        </>
      ) : (
        <Loading />
      )}
    </Page>
  )
}

function Page({ title, setup, children }: { title: string; setup?: TenantSetup | undefined; children: ReactNode }) {
  const { tenant } = useActor()
  return (
    <div className={classes.page}>
      <PageHead
        back={{ href: pathTo(tenant, 'Settings', 'Tenants'), label: 'Tenants' }}
        title={title}
        icon={setup && initialsOf(setup.name)}
        chips={setup?.suspension && <span className={classes.mark}>Suspended</span>}
        place={
          setup && (
            <>
              <span>{setup.name}</span>
              <span className={classes.id}>/{setup.id}</span>
            </>
          )
        }
      />
      <div className={classes.columns}>{children}</div>
    </div>
  )
}

interface TenantFormProps {
  stored: TenantRecord
  isNew?: boolean
  save: (record: TenantRecord) => Promise<void>
}

/**
 * There is no client-side validation (estate specification, 2.2): the server's refusals are shown by the shared error
 * handler.
 */
function TenantForm({ stored, isNew = false, save }: TenantFormProps) {
  const { tenant } = useActor()
  const router = useRouter()
  const {
    values: record,
    change,
    isKept,
    clear,
  } = useDraft<TenantRecord>(`client ${stored.id}`, { id: stored.id, name: stored.name, contact: stored.contact })
  const [saving, setSaving] = useState(false)
  const goBack = () => {
    // If the page was opened by its address, there is no history to go back to.
    if (router.history.canGoBack()) router.history.back()
    else void router.navigate({ href: pathTo(tenant, 'Settings', 'Tenants') })
  }
  const submit = async () => {
    setSaving(true)
    try {
      await save(record)
      clear()
      goBack()
    } catch (error) {
      showCallError(error)
      setSaving(false)
    }
  }
  const field = (name: keyof TenantRecord) => ({
    value: record[name],
    autoComplete: 'off',
    onChange: (event: { currentTarget: { value: string } }) => {
      change({ [name]: event.currentTarget.value })
    },
  })
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <Card
        title="Tenant"
        footer={
          <div className={classes.buttons}>
            {isKept && <DraftNote onDiscard={clear} />}
            <Button variant="default" onClick={goBack} disabled={saving}>
              Cancel
            </Button>
            <Button type="submit" loading={saving}>
              Save
            </Button>
          </div>
        }
      >
        <div className={classes.fields}>
          <TextInput
            label="ID"
            {...field('id')}
            readOnly={!isNew}
            maxLength={isNew ? longestTenantId : 200}
            leftSection={isNew ? undefined : <IconLock size={14} aria-hidden />}
            description={
              isNew
                ? 'Letters, digits and hyphens. Part of every web address. It cannot be changed later.'
                : 'Part of every web address. It cannot be changed later.'
            }
            spellCheck={false}
          />
          <TextInput label="Name" {...field('name')} maxLength={100} />
          <TextInput label="Contacts" {...field('contact')} maxLength={200} />
        </div>
      </Card>
    </form>
  )
}
