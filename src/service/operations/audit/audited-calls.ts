/**
 * Which calls the audit log names, and how: every one that changes something, and those that hand out a link to content.
 * A call that only asks is named among `READS`; a test holds both lists against the calls that are served.
 */

/** By method and route below `/v2`. */
export const AUDITED_CALLS: Readonly<Record<string, string>> = {
  'POST /projects': 'project.create',
  'POST /projects/:owner/:project': 'project.edit',
  'PATCH /projects/:owner/:project': 'project.edit',
  'DELETE /projects/:owner/:project': 'project.delete',
  'POST /projects/:owner/:project/members': 'project.member.set',
  'PUT /projects/:owner/:project/members/:username/permissions': 'project.member.set',
  'PATCH /projects/:owner/:project/members/:username/permissions': 'project.member.set',
  'DELETE /projects/:owner/:project/members/:username': 'project.member.remove',

  'POST /files': 'folder.create',
  'PATCH /files/:file_id': 'file.edit',
  'DELETE /files/:file_id': 'file.delete',
  'PUT /files/:file_id/tags': 'file.edit',
  'PATCH /files/:file_id/metadata': 'file.edit',
  'PUT /files/:file_id/metadata': 'file.edit',
  'POST /files/:file_id/actions/copy': 'file.copy',
  'POST /files/:file_id/actions/move': 'file.move',
  'GET /files/:file_id/download_info': 'file.download',
  'POST /bulk/files/delete': 'file.delete',
  'POST /bulk/files/edit': 'file.edit',
  'POST /bulk/files/update': 'file.edit',
  'POST /action/files/copy': 'file.copy',
  'POST /async/files/copy': 'job.submit',
  'POST /async/files/move': 'job.submit',
  'POST /async/files/delete': 'job.submit',

  'POST /upload/multipart': 'upload.begin',
  'POST /upload/multipart/:upload_id': 'upload.report',
  'POST /upload/multipart/:upload_id/part': 'upload.report',
  'POST /upload/multipart/:upload_id/complete': 'upload.complete',
  'DELETE /upload/multipart/:upload_id': 'upload.abort',
  'POST /upload/inline': 'upload.inline',

  'POST /storage/volumes': 'volume.create',
  'PATCH /storage/volumes/:owner/:name': 'volume.edit',
  'DELETE /storage/volumes/:owner/:name': 'volume.delete',
  'POST /storage/volumes/:owner/:name/members': 'volume.member.set',
  'PUT /storage/volumes/:owner/:name/members/:username/permissions': 'volume.member.set',
  'PATCH /storage/volumes/:owner/:name/members/:username/permissions': 'volume.member.set',
  'DELETE /storage/volumes/:owner/:name/members/:username': 'volume.member.remove',
  'GET /storage/volumes/:owner/:name/object/download_info': 'volume.download',

  'POST /storage/imports': 'import.submit',
  'POST /bulk/storage/imports/create': 'import.submit',
  'POST /storage/exports': 'export.submit',
  'POST /bulk/storage/exports/create': 'export.submit',
  'POST /bulk/storage/exports': 'export.submit',

  'POST /apps/:owner/:project/:app/raw': 'app.install',
  'POST /apps/:owner/:project/:app/:revision/raw': 'app.revise',
  'POST /apps/:owner/:project/:app/actions/copy': 'app.copy',
  'POST /apps/:owner/:project/:app/:revision/actions/copy': 'app.copy',
  'POST /apps/:owner/:project/:app/actions/sync': 'app.sync',
  'POST /apps/:owner/:project/:app/:revision/actions/sync': 'app.sync',

  'POST /tasks': 'task.create',
  'PATCH /tasks/:task_id': 'task.edit',
  'PATCH /tasks/:task_id/inputs': 'task.edit',
  'DELETE /tasks/:task_id': 'task.delete',
  'POST /tasks/:task_id/actions/run': 'task.run',
  'POST /tasks/:task_id/actions/abort': 'task.abort',
  'POST /tasks/:task_id/actions/clone': 'task.clone',
};

/** Calls by POST that change nothing. */
export const READS: readonly string[] = [
  'POST /files/search',
  'POST /bulk/files/get',
  'POST /bulk/storage/imports/get',
  'POST /bulk/storage/exports/get',
  'POST /bulk/tasks/get',
  // The feedback itself is in the log.
  'POST /action/notifications/feedback',
];
