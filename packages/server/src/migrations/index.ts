import type { Kysely } from 'kysely'
import * as firstPath from './0001-first-path.ts'
import * as peopleAndTags from './0002-people-and-tags.ts'
import * as listingsAndActions from './0003-listings-and-actions.ts'
import * as listingIndexes from './0004-listing-indexes.ts'
import * as search from './0005-search.ts'
import * as changes from './0006-changes.ts'
import * as files from './0007-files.ts'
import * as jobs from './0008-jobs.ts'
import * as oneStoreOfViews from './0009-one-store-of-views.ts'
import * as flagsByDevelopers from './0011-flags-by-developers.ts'
import * as bulkItems from './0012-bulk-items.ts'
import * as mqttSessions from './0020-mqtt-sessions.ts'
import * as conditions from './0021-conditions.ts'
import * as signIn from './0022-sign-in.ts'
import * as refusedMessages from './0024-refused-messages.ts'
import * as eventTimes from './0025-event-times.ts'
import * as commandsTakenBack from './0026-commands-taken-back.ts'
import * as compliance from './0034-compliance.ts'
import * as complianceIndexes from './0035-compliance-indexes.ts'
import * as devicesOfAHome from './0036-devices-of-a-home.ts'
import * as emergencyEquipment from './0037-emergency-equipment.ts'
import * as maintenance from './0039-maintenance.ts'
import * as deviceMessages from './0040-device-messages.ts'
import * as lightGroups from './0041-light-groups.ts'
import * as testEvidence from './0042-test-evidence.ts'
import * as alerts from './0043-alerts.ts'
import * as standardLuminaires from './0044-standard-luminaires.ts'
import * as groupVersions from './0045-group-versions.ts'
import * as testIndexes from './0046-test-indexes.ts'
import * as buildings from './0047-buildings.ts'
import * as buildingNames from './0048-building-names.ts'
import * as properties from './0057-properties.ts'
import * as propertyIndexes from './0058-property-indexes.ts'
import * as propertyGasCheck from './0059-property-gas-check.ts'
import * as deviceLicences from './0062-device-licences.ts'
import * as imports from './0066-imports.ts'
import * as voidMode from './0070-void-mode.ts'
import * as voidIndex from './0071-void-index.ts'
import * as documents from './0072-documents.ts'
import * as postcodes from './0083-postcodes.ts'
import * as suspendedTenants from './0085-suspended-tenants.ts'
import * as residents from './0086-residents.ts'
import * as reports from './0091-reports.ts'
import * as damp from './0092-damp.ts'
import * as dampIndexes from './0093-damp-indexes.ts'
import * as apiKeys from './0094-api-keys.ts'
import * as webhooks from './0095-webhooks.ts'
import * as tenantExports from './0097-tenant-exports.ts'
import * as mapIndexes from './0098-map-indexes.ts'
import * as oneIndexOfBuildings from './0099-one-index-of-buildings.ts'
import * as packedPoints from './0102-packed-points.ts'
import * as statusAndPlaceOfHomes from './0112-status-and-place-of-homes.ts'
import * as homeListingIndexes from './0113-home-listing-indexes.ts'
import * as leanAlertIndexes from './0120-lean-alert-indexes.ts'
import * as testsPlannedAgain from './0122-tests-planned-again.ts'
import * as oneRepeatAtATime from './0123-one-repeat-at-a-time.ts'
import * as narrowSearchOfHomes from './0127-narrow-search-of-homes.ts'
import * as voidHomesOfLists from './0133-void-homes-of-lists.ts'
import * as packedHours from './0136-packed-hours.ts'
import * as oneFiringOfAHome from './0140-one-firing-of-a-home.ts'
import * as ranksInListingOfHomes from './0141-ranks-in-listing-of-homes.ts'
import * as keysThatAdministerUsers from './0144-keys-that-administer-users.ts'
import * as whenReadingsWereMeasured from './0152-when-readings-were-measured.ts'
import * as turnsOfGateways from './0155-turns-of-gateways.ts'
import * as batteriesThatDoNotFill from './0156-batteries-that-do-not-fill.ts'
import * as dueDaysOfHomes from './0165-due-days-of-homes.ts'
import * as importReadings from './0170-import-readings.ts'
import * as serialsTakenElsewhere from './0171-serials-taken-elsewhere.ts'
import * as monthsClosedTooEarly from './0175-months-closed-too-early.ts'
import * as attachments from './0176-attachments.ts'
import * as useOfResidentAppKeys from './0177-use-of-resident-app-keys.ts'
import * as processFigures from './0180-process-figures.ts'
import * as testsByReason from './0192-tests-by-reason.ts'
import * as weatherOfTheMonth from './0194-weather-of-the-month.ts'
import * as claimants from './0200-claimants.ts'
import * as lightOperation from './0201-light-operation.ts'
import * as exportOfSingleReadings from './0202-export-of-single-readings.ts'
import * as whatListsChangeBesides from './0203-what-lists-change-besides.ts'
import * as serialsTakenOnMachines from './0204-serials-taken-on-machines.ts'
import * as reasonsOfSomeLights from './0205-reasons-of-some-lights.ts'
import * as recordsByWhatIsWatched from './0206-records-by-what-is-watched.ts'
import * as tagsOfHomes from './0207-tags-of-homes.ts'
import * as homesByTags from './0208-homes-by-tags.ts'
import * as testsOfSomeLights from './0210-tests-of-some-lights.ts'
import * as reasonsOfStatuses from './0211-reasons-of-statuses.ts'
import * as devicesByReason from './0212-devices-by-reason.ts'
import * as statesOfWhatIsNotWatched from './0213-states-of-what-is-not-watched.ts'
import * as betweenGatewaysAndLights from './0216-between-gateways-and-lights.ts'
import * as statusesOfHomes from './0217-statuses-of-homes.ts'
import * as homesByStatuses from './0218-homes-by-statuses.ts'
import * as interimMeasures from './0222-interim-measures.ts'
import * as logBooks from './0223-log-books.ts'
import * as outlinesOfDays from './0225-outlines-of-days.ts'
import * as leanWritesOfWhatHappens from './0226-lean-writes-of-what-happens.ts'
import * as storageOfOutlines from './0227-storage-of-outlines.ts'
import * as indexesOfWhatWaits from './0228-indexes-of-what-waits.ts'
import * as packedRollUps from './0229-packed-roll-ups.ts'
import * as lightsByLuminaire from './0230-lights-by-luminaire.ts'
import * as leanerWritesOfWhatHappens from './0231-leaner-writes-of-what-happens.ts'
import * as alertsWaitingForDevices from './0232-alerts-waiting-for-devices.ts'
import * as testsByTimeWithTheirLights from './0233-tests-by-time-with-their-lights.ts'
import * as deviceKeys from './0234-device-keys.ts'
import * as fieldsOfRejectedMessages from './0235-fields-of-rejected-messages.ts'
import * as removalsOfClients from './0242-removals-of-clients.ts'
import * as linksOfMails from './0243-links-of-mails.ts'
import * as decisionsAboutTests from './0250-decisions-about-tests.ts'
import * as testsByDecisions from './0251-tests-by-decisions.ts'
import * as failuresBeforeIsolations from './0252-failures-before-isolations.ts'
import * as partsOfRepairs from './0253-parts-of-repairs.ts'
import * as photosOfRepairs from './0254-photos-of-repairs.ts'
import * as roughPlaces from './0255-rough-places.ts'
import * as lightsByBatteryDay from './0258-lights-by-battery-day.ts'
import * as settingsOfBulkActions from './0260-settings-of-bulk-actions.ts'
import * as inspectionSheetsAsReports from './0261-inspection-sheets-as-reports.ts'
import * as evidenceOfTests from './0264-evidence-of-tests.ts'
import * as judgeStoredTests from './0285-judge-stored-tests.ts'
import * as scopesOfAlerts from './0286-scopes-of-alerts.ts'
import * as historyOfAlertableEvents from './0287-history-of-alertable-events.ts'
import * as safetyOfHomes from './0288-safety-of-homes.ts'
import * as homesBySafety from './0289-homes-by-safety.ts'
import * as casesOfAwaabsLaw from './0290-cases-of-awaabs-law.ts'
import * as requestsOfRepairs from './0291-requests-of-repairs.ts'
import * as repairsByRequest from './0292-repairs-by-request.ts'
import * as lastFullTests from './0293-last-full-tests.ts'
import * as lightsByFullTest from './0294-lights-by-full-test.ts'
import * as startPages from './0295-start-pages.ts'
import * as historyOfDangers from './0296-history-of-dangers.ts'
import * as recipientsOfReports from './0297-recipients-of-reports.ts'
import * as reasonsOfRemoval from './0298-reasons-of-removal.ts'
import * as searchForms from './0299-search-forms.ts'
import * as searchFormsOfDevices from './0300-search-forms-of-devices.ts'
import * as naturalOrder from './0301-natural-order.ts'
import * as partsOfMessages from './0302-parts-of-messages.ts'
import * as alertsOfHomes from './0303-alerts-of-homes.ts'
import * as indexesOfAlertsOfHomes from './0304-indexes-of-alerts-of-homes.ts'

export interface Migration {
  up(db: Kysely<unknown>): Promise<void>
  /**
   * `false`: its statements are committed one by one, as those of indexes that are built while people work
   * (`concurrent-index.ts`). One that failed half way is run again from its beginning.
   */
  transaction?: boolean
}

/** Every migration in its order. They only go forward: a mistake is mended by the next one. */
export const migrations: Record<string, Migration> = {
  '0001-first-path': firstPath,
  '0002-people-and-tags': peopleAndTags,
  '0003-listings-and-actions': listingsAndActions,
  '0004-listing-indexes': listingIndexes,
  '0005-search': search,
  '0006-changes': changes,
  '0007-files': files,
  '0008-jobs': jobs,
  '0009-one-store-of-views': oneStoreOfViews,
  '0011-flags-by-developers': flagsByDevelopers,
  '0012-bulk-items': bulkItems,
  '0020-mqtt-sessions': mqttSessions,
  '0021-conditions': conditions,
  '0022-sign-in': signIn,
  '0024-refused-messages': refusedMessages,
  '0025-event-times': eventTimes,
  '0026-commands-taken-back': commandsTakenBack,
  '0034-compliance': compliance,
  '0035-compliance-indexes': complianceIndexes,
  '0036-devices-of-a-home': devicesOfAHome,
  '0037-emergency-equipment': emergencyEquipment,
  '0039-maintenance': maintenance,
  '0040-device-messages': deviceMessages,
  '0041-light-groups': lightGroups,
  '0042-test-evidence': testEvidence,
  '0043-alerts': alerts,
  '0044-standard-luminaires': standardLuminaires,
  '0045-group-versions': groupVersions,
  '0046-test-indexes': testIndexes,
  '0047-buildings': buildings,
  '0048-building-names': buildingNames,
  '0057-properties': properties,
  '0058-property-indexes': propertyIndexes,
  '0059-property-gas-check': propertyGasCheck,
  '0062-device-licences': deviceLicences,
  '0066-imports': imports,
  '0070-void-mode': voidMode,
  '0071-void-index': voidIndex,
  '0072-documents': documents,
  '0083-postcodes': postcodes,
  '0085-suspended-tenants': suspendedTenants,
  '0086-residents': residents,
  '0091-reports': reports,
  '0092-damp': damp,
  '0093-damp-indexes': dampIndexes,
  '0094-api-keys': apiKeys,
  '0095-webhooks': webhooks,
  '0097-tenant-exports': tenantExports,
  '0098-map-indexes': mapIndexes,
  '0099-one-index-of-buildings': oneIndexOfBuildings,
  '0102-packed-points': packedPoints,
  '0112-status-and-place-of-homes': statusAndPlaceOfHomes,
  '0113-home-listing-indexes': homeListingIndexes,
  '0120-lean-alert-indexes': leanAlertIndexes,
  '0122-tests-planned-again': testsPlannedAgain,
  '0123-one-repeat-at-a-time': oneRepeatAtATime,
  '0127-narrow-search-of-homes': narrowSearchOfHomes,
  '0133-void-homes-of-lists': voidHomesOfLists,
  '0136-packed-hours': packedHours,
  '0140-one-firing-of-a-home': oneFiringOfAHome,
  '0141-ranks-in-listing-of-homes': ranksInListingOfHomes,
  '0144-keys-that-administer-users': keysThatAdministerUsers,
  '0152-when-readings-were-measured': whenReadingsWereMeasured,
  '0155-turns-of-gateways': turnsOfGateways,
  '0156-batteries-that-do-not-fill': batteriesThatDoNotFill,
  '0165-due-days-of-homes': dueDaysOfHomes,
  '0170-import-readings': importReadings,
  '0171-serials-taken-elsewhere': serialsTakenElsewhere,
  '0175-months-closed-too-early': monthsClosedTooEarly,
  '0176-attachments': attachments,
  '0177-use-of-resident-app-keys': useOfResidentAppKeys,
  '0180-process-figures': processFigures,
  '0192-tests-by-reason': testsByReason,
  '0194-weather-of-the-month': weatherOfTheMonth,
  '0200-claimants': claimants,
  '0201-light-operation': lightOperation,
  '0202-export-of-single-readings': exportOfSingleReadings,
  '0203-what-lists-change-besides': whatListsChangeBesides,
  '0204-serials-taken-on-machines': serialsTakenOnMachines,
  '0205-reasons-of-some-lights': reasonsOfSomeLights,
  '0206-records-by-what-is-watched': recordsByWhatIsWatched,
  '0207-tags-of-homes': tagsOfHomes,
  '0208-homes-by-tags': homesByTags,
  '0210-tests-of-some-lights': testsOfSomeLights,
  '0211-reasons-of-statuses': reasonsOfStatuses,
  '0212-devices-by-reason': devicesByReason,
  '0213-states-of-what-is-not-watched': statesOfWhatIsNotWatched,
  '0216-between-gateways-and-lights': betweenGatewaysAndLights,
  '0217-statuses-of-homes': statusesOfHomes,
  '0218-homes-by-statuses': homesByStatuses,
  '0222-interim-measures': interimMeasures,
  '0223-log-books': logBooks,
  '0225-outlines-of-days': outlinesOfDays,
  '0226-lean-writes-of-what-happens': leanWritesOfWhatHappens,
  '0227-storage-of-outlines': storageOfOutlines,
  '0228-indexes-of-what-waits': indexesOfWhatWaits,
  '0229-packed-roll-ups': packedRollUps,
  '0230-lights-by-luminaire': lightsByLuminaire,
  '0231-leaner-writes-of-what-happens': leanerWritesOfWhatHappens,
  '0232-alerts-waiting-for-devices': alertsWaitingForDevices,
  '0233-tests-by-time-with-their-lights': testsByTimeWithTheirLights,
  '0234-device-keys': deviceKeys,
  '0235-fields-of-rejected-messages': fieldsOfRejectedMessages,
  '0242-removals-of-clients': removalsOfClients,
  '0243-links-of-mails': linksOfMails,
  '0250-decisions-about-tests': decisionsAboutTests,
  '0251-tests-by-decisions': testsByDecisions,
  '0252-failures-before-isolations': failuresBeforeIsolations,
  '0253-parts-of-repairs': partsOfRepairs,
  '0254-photos-of-repairs': photosOfRepairs,
  '0255-rough-places': roughPlaces,
  '0258-lights-by-battery-day': lightsByBatteryDay,
  '0260-settings-of-bulk-actions': settingsOfBulkActions,
  '0261-inspection-sheets-as-reports': inspectionSheetsAsReports,
  '0264-evidence-of-tests': evidenceOfTests,
  '0285-judge-stored-tests': judgeStoredTests,
  '0286-scopes-of-alerts': scopesOfAlerts,
  '0287-history-of-alertable-events': historyOfAlertableEvents,
  '0288-safety-of-homes': safetyOfHomes,
  '0289-homes-by-safety': homesBySafety,
  '0290-cases-of-awaabs-law': casesOfAwaabsLaw,
  '0291-requests-of-repairs': requestsOfRepairs,
  '0292-repairs-by-request': repairsByRequest,
  '0293-last-full-tests': lastFullTests,
  '0294-lights-by-full-test': lightsByFullTest,
  '0295-start-pages': startPages,
  '0296-history-of-dangers': historyOfDangers,
  '0297-recipients-of-reports': recipientsOfReports,
  '0298-reasons-of-removal': reasonsOfRemoval,
  '0299-search-forms': searchForms,
  '0300-search-forms-of-devices': searchFormsOfDevices,
  '0301-natural-order': naturalOrder,
  '0302-parts-of-messages': partsOfMessages,
  '0303-alerts-of-homes': alertsOfHomes,
  '0304-indexes-of-alerts-of-homes': indexesOfAlertsOfHomes,
}
