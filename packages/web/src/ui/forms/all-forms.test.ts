import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'vitest'

const source = join(import.meta.dirname, '../..')

/** The handling of unsent text. */
const answers = {
  /** Kept in this browser until sent or discarded. */
  draft: /useDraft[<(]|draft: \{ name|\bkeepsDraft$/m,
  /** The dialog or page asks before it is lost. */
  asks: /<(?:Form)?Dialog\b|<LeaveQuestion\b/,
  /** A field edited in place, which asks before closing. */
  inline: /<InlineField\b|inlineText/,
  /** A search or filter: no text to lose. */
  search: /./,
  /** A field or part of other forms in this table. */
  part: /./,
} as const

const forms: Record<string, keyof typeof answers> = {
  'actions/light-fields.tsx': 'part',
  'actions/bulk-dialog.tsx': 'asks',
  'actions/homes-dialog.tsx': 'asks',
  'actions/repair-dialog.tsx': 'draft',
  'actions/repair-fields.tsx': 'part',
  'device-page/condition-dialogs.tsx': 'draft',
  'device-page/conditions.tsx': 'inline',
  'device-page/debug/debug.tsx': 'search',
  'device-page/location-card.tsx': 'inline',
  'device-page/maintenance/notes.tsx': 'draft',
  'device-page/maintenance/written-field.tsx': 'part',
  'device-page/messages/messages.tsx': 'search',
  'equipment/luminaire-fields.tsx': 'part',
  'features/audit/audit-page.tsx': 'search',
  'features/boilers/boiler-facts.tsx': 'inline',
  'features/boilers/boiler-location.tsx': 'inline',
  'features/boilers/compliance/figures-dialog.tsx': 'draft',
  'features/boilers/compliance/record-editor.tsx': 'draft',
  'features/boilers/compliance/record-fields.tsx': 'part',
  'features/boilers/compliance/withdraw-dialog.tsx': 'asks',
  'features/boilers/connected-devices.tsx': 'inline',
  'features/boilers/heating-settings.tsx': 'inline',
  'features/buildings/add-building-page.tsx': 'asks',
  'features/buildings/floors-card.tsx': 'part',
  'features/buildings/place-by-postcode.tsx': 'part',
  'features/buildings/position-dialog.tsx': 'asks',
  'features/connections/add/connection-drawer.tsx': 'asks',
  'features/connections/add/connection-fields.tsx': 'part',
  'features/connections/connection-dialogs.tsx': 'asks',
  'features/connections/device/set-point-card.tsx': 'inline',
  'features/connections/messages/message-list.tsx': 'search',
  'features/connections/model/codec.tsx': 'draft',
  'features/connections/model/mapping.tsx': 'asks',
  'features/connections/sensors/add-sensors-dialog.tsx': 'asks',
  'features/connections/sensors/choose-model-dialog.tsx': 'asks',
  'features/connections/sensors/import-dialog.tsx': 'asks',
  'features/lighting/equipment-card.tsx': 'inline',
  'features/lighting/group-card.tsx': 'inline',
  'features/lighting/luminaire-form.tsx': 'draft',
  'features/lighting/tests/decision-dialogs.tsx': 'draft',
  'features/lighting/tests/update-dialog.tsx': 'draft',
  'features/maps/map-list.tsx': 'search',
  'features/people/user-form.tsx': 'draft',
  'features/place-devices/device-panel.tsx': 'search',
  'features/position-floor/floor-panel.tsx': 'part',
  'features/properties/estate/add-home-page.tsx': 'draft',
  'features/properties/info/access-rights-field.tsx': 'inline',
  'features/properties/info/address-dialog.tsx': 'asks',
  'features/properties/info/awaabs-law.tsx': 'inline',
  'features/properties/info/case-records.tsx': 'asks',
  'features/properties/info/edit-case-dialog.tsx': 'asks',
  'features/properties/info/gas-appliances.tsx': 'asks',
  'features/properties/info/property-details.tsx': 'inline',
  'features/properties/info/property-information.tsx': 'inline',
  'features/properties/info/step-dialog.tsx': 'asks',
  'features/properties/info/test-dates-dialog.tsx': 'draft',
  'features/properties/info/void-switch.tsx': 'inline',
  'features/properties/info/when-field.tsx': 'part',
  'features/properties/property-records/add-dialog.tsx': 'asks',
  'features/properties/thermo-scheduler/set-points.tsx': 'part',
  'features/reports/my-schedules.tsx': 'draft',
  'features/settings/access-rights-tags.tsx': 'asks',
  'features/settings/alerts/alert-editor.tsx': 'draft',
  'features/settings/api-keys/api-keys.tsx': 'draft',
  'features/settings/awaabs-law/awaabs-law.tsx': 'draft',
  'features/settings/residents/contact-form.tsx': 'draft',
  'features/settings/residents/tips-dialog.tsx': 'asks',
  'features/settings/sign-in/group-access-dialog.tsx': 'draft',
  'features/settings/sign-in/sign-in-policy.tsx': 'draft',
  'features/settings/sign-in/sso-dialog.tsx': 'asks',
  'features/settings/sign-in/sso-domains.tsx': 'asks',
  'features/settings/standard-luminaires.tsx': 'draft',
  'features/settings/tags.tsx': 'asks',
  'features/settings/webhooks/webhook-dialog.tsx': 'draft',
  'features/tenants/setup-cards.tsx': 'draft',
  'features/tenants/tenant-page.tsx': 'draft',
  'features/test-schedules/dialog/device-list.tsx': 'search',
  'features/test-schedules/dialog/group-dialog.tsx': 'draft',
  'features/test-schedules/dialog/start-cards.tsx': 'part',
  'features/test-schedules/dialog/start-question.tsx': 'asks',
  'inspection/sheet-dialog.tsx': 'asks',
  'lists/filters/filter-fields.tsx': 'search',
  'lists/search-field.tsx': 'search',
  'lists/views/view-dialogs.tsx': 'draft',
  'lists/views/view-picker.tsx': 'search',
  'shell/account-factor-dialogs.tsx': 'asks',
  'ui/date-range.tsx': 'search',
  'ui/day-field.tsx': 'part',
  'ui/filter-bar.tsx': 'search',
  'ui/forms/fields.tsx': 'part',
  'ui/forms/inline-controls.tsx': 'part',
  'ui/forms/inline-number.tsx': 'part',
  'ui/forms/number-field.tsx': 'part',
  'ui/forms/phone-field.tsx': 'part',
}

/** Pages whose fields are all in parts. */
const pages: Record<string, keyof typeof answers> = {
  'features/position-floor/floor-editor.tsx': 'asks',
}

const typed =
  /<(?:TextInput|Textarea|TextField|NumberField|NumberInput|PhoneField|WrittenField|PasswordInput|Autocomplete|DateTimePicker|DayField|DayTextField|InlineField|LuminaireFields|LightFields|FormDialog)\b/

const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.tsx') && !file.includes('.test.') && !file.startsWith('testing'))
  .map((file) => ({ file: file.replaceAll('\\', '/'), text: readFileSync(join(source, file), 'utf8') }))

test('every form declares whether unsent text is kept as a draft or the page asks', () => {
  const withFields = files
    .filter(({ text }) => typed.test(text) || /useDraft[<(]|draft: \{ name/.test(text))
    .map(({ file }) => file)
  assert.deepEqual(withFields.toSorted(), Object.keys(forms).toSorted())
})

test.each(Object.entries({ ...forms, ...pages }))('%s: %s', (file, answer) => {
  const { text } = files.find((one) => one.file === file)!
  assert.match(text, answers[answer])
})

test('every dialog is closed by the button that asks first', () => {
  const others = files.filter(
    ({ text }) => /<Dialog\b/.test(text) && /<Button[^>]*onClick=\{onClose\}[^>]*>\s*Cancel/.test(text),
  )
  assert.deepEqual(
    others.map(({ file }) => file),
    [],
  )
})

test('a dialog that keeps a draft shows that and offers to discard it', () => {
  const silent = files.filter(
    ({ text }) => text.includes('useDraft') && !/DraftNote|export function useDraft/.test(text),
  )
  assert.deepEqual(
    silent.map(({ file }) => file),
    [],
  )
})
