import { useState } from 'react'
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { CallError } from '@caretaker/contract/error-texts.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { View } from '@caretaker/rules/views/view.ts'
import { mayManageView, maySaveView, presetViewId } from '@caretaker/rules/views/view.ts'
import { lazily } from '../../ui/lazily.tsx'
import { useActor } from '../../api/actor.ts'
import { showCallError } from '../../api/errors.ts'
import { viewAddress } from '../../api/listing-address.ts'
import { useStartPage } from '../../api/start-page.ts'
import { showError, showSuccess } from '../../ui/toasts.tsx'
import type { ListState } from '../list-state.ts'
import type { ViewChange } from './changes.ts'
import { contentOf, viewChanges } from './changes.ts'
import { countStarts } from './start-counts.ts'
import type { ViewAsk } from './manage-menu.tsx'
import { ManageMenu } from './manage-menu.tsx'
import { ViewPicker } from './view-picker.tsx'
import { ViewTabs } from './view-tabs.tsx'
import classes from './views.module.css'

// Loaded on demand: most visits open none of them, and forms are a large part of the script.
const dialogs = () => import('./view-dialogs.tsx')
const SaveAsDialog = lazily(async () => (await dialogs()).SaveAsDialog)
const RenameDialog = lazily(async () => (await dialogs()).RenameDialog)
const AuthorsDialog = lazily(async () => (await dialogs()).AuthorsDialog)
const DeleteViewDialog = lazily(async () => (await dialogs()).DeleteViewDialog)
const UnshareDialog = lazily(async () => (await dialogs()).UnshareDialog)
const ConflictDialog = lazily(async () => (await import('./conflict-dialog.tsx')).ConflictDialog)

type Asked = 'save as' | 'rename' | 'authors' | 'unshare' | 'delete' | 'conflict' | 'gone'

/** The views of a list and the actions on the shown one (devices specification, section 2). */
export function ViewBar({ state }: { state: ListState }) {
  const { source, area, view, views, changed } = state
  const { list } = source
  const actor = useActor()
  const router = useRouter()
  const changes = viewChanges(useQueryClient(), actor, list)
  const [asked, setAsked] = useState<Asked>()
  const [saving, setSaving] = useState(false)
  /** Users who would lose their start page if the view becomes private. */
  const [losingAccess, setLosingAccess] = useState(0)
  const [startPage, setStartPage] = useStartPage()
  const shareable = list.views === 'definitions'
  const isStartPage = startPage === view.viewId
  const content = contentOf({ columns: state.columns, filters: state.conditions, sorts: state.sorts })
  const close = () => setAsked(undefined)

  const open = (viewId: string, search?: string) =>
    router.navigate({ href: viewAddress(actor.tenant, list, viewId, { area, search }) })
  const openMain = () => open(presetViewId(list, 'main'))
  /** An added or changed view is shown (core specification, section 4.4). */
  const select = ({ viewId }: View) => void open(viewId, state.search)
  const change = (what: ViewChange) => changes.update(view, what)
  const save = async () => {
    setSaving(true)
    try {
      select(await change({ content }))
    } catch (error) {
      const status = error instanceof CallError ? error.status : 0
      if (status === 409) setAsked('conflict')
      else if (status === 404) setAsked('gone')
      else showCallError(error)
    } finally {
      setSaving(false)
    }
  }

  const manages = mayManageView(actor, view)
  const may = new Set<ViewAsk>(['copy link', 'start page'])
  if (changed && maySaveView(actor, view)) may.add('save')
  if (source.keepsViews !== false) may.add('save as')
  if (manages) for (const ask of ['share', 'rename', 'delete'] as const) may.add(ask)
  if (manages && can(actor, 'see users')) may.add('authors')
  const onAsk = (ask: ViewAsk) => {
    if (ask === 'save') void save()
    else if (ask === 'share') void share()
    else if (ask === 'copy link') void copyLink()
    else if (ask === 'start page') void makeStartPage()
    else setAsked(ask)
  }
  const copyLink = async () => {
    const link = location.origin + viewAddress(actor.tenant, list, view.viewId, { area })
    try {
      await navigator.clipboard.writeText(link)
      showSuccess(
        shareable && view.private ? 'Link copied. Only you and the authors can open the view.' : 'Link copied',
      )
    } catch {
      // Only a secure page may write to the clipboard.
      showError(`The link could not be copied: ${link}`)
    }
  }
  const share = async () => {
    try {
      const losing = view.private ? 0 : (await countStarts(actor.tenant, view)).losingAccess
      setLosingAccess(losing)
      if (losing > 0) setAsked('unshare')
      else await change({ private: !view.private })
    } catch (error) {
      showCallError(error)
    }
  }
  const makeStartPage = async () => {
    try {
      await setStartPage(isStartPage ? null : view.viewId)
      showSuccess(isStartPage ? 'Sign-in now opens the Dashboard' : `Sign-in now opens ${view.label}`)
    } catch (error) {
      showCallError(error)
    }
  }

  return (
    <div className={classes.bar}>
      <ViewTabs state={state} />
      <ViewPicker state={state} />
      <div className={classes.actions} role="toolbar" aria-label="View">
        <Button
          className={classes.onDesktop}
          variant={may.has('save') ? 'filled' : 'default'}
          disabled={!may.has('save')}
          loading={saving}
          onClick={() => void save()}
        >
          Save
        </Button>
        <Button
          className={classes.onDesktop}
          variant="default"
          disabled={!may.has('save as')}
          onClick={() => setAsked('save as')}
        >
          Save As
        </Button>
        <ManageMenu view={view} may={may} shareable={shareable} isStartPage={isStartPage} onAsk={onAsk} />
      </div>
      {asked === 'save as' && (
        <SaveAsDialog
          views={views}
          shareable={shareable}
          onSave={async (named) => select(await changes.create({ ...named, content }))}
          onClose={close}
        />
      )}
      {asked === 'rename' && <RenameDialog view={view} views={views} onChange={change} onClose={close} />}
      {asked === 'authors' && <AuthorsDialog view={view} onChange={change} onClose={close} />}
      {asked === 'unshare' && (
        <UnshareDialog view={view} losingAccess={losingAccess} onChange={change} onClose={close} />
      )}
      {asked === 'delete' && (
        <DeleteViewDialog
          view={view}
          isStartPage={isStartPage}
          onDelete={() => changes.remove(view, openMain)}
          onClose={close}
        />
      )}
      {(asked === 'conflict' || asked === 'gone') && (
        <ConflictDialog
          view={view}
          isGone={asked === 'gone'}
          maySaveAs={may.has('save as')}
          onTheirs={() => (asked === 'gone' ? openMain() : open(view.viewId))}
          onSaveAs={() => setAsked('save as')}
          onClose={close}
        />
      )}
    </div>
  )
}
