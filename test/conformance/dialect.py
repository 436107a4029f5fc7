"""The words of the API document, put in the place of the client's where its requests leave, and back in the answers.

Unchanged, the client speaks the platform's own words. So the same checks hold the service to both. No file and no other
function of the client is touched.
"""
import json

from sevenbridges.http.client import RequestSession

HEADERS = {
    'X-SBG-Auth-Token': 'X-SVC-Auth-Token',
    'X-SBG-Session-Id': 'X-SVC-Session-Id',
    'X-SBG-Advance-Access': 'X-SVC-Advance-Access',
}
FIELDS = {
    'aws_canned_acl': 'cloud_canned_acl',
    'aws_storage_class': 'cloud_storage_class',
    'sse_aws_kms_key_id': 'sse_cloud_kms_key_id',
}
FIELD_PREFIX = ('sbg:', 'svc:')
VALUES = {'aws:kms': 'cloud:kms'}


def speak_the_api_document():
    """From now on the client says the words of the API document, and hears its own."""
    send = RequestSession.send

    def translated(session, request, **options):
        is_call = _translate_request(request)
        response = send(session, request, **options)
        if is_call:
            _translate_response(response)
        return response

    RequestSession.send = translated


def _translate_request(request):
    """Answers whether it is a call of the API: bytes go to signed addresses, without a token."""
    for theirs, ours in HEADERS.items():
        if theirs in request.headers:
            request.headers[ours] = request.headers.pop(theirs)
    if 'X-SVC-Auth-Token' not in request.headers and 'Authorization' not in request.headers:
        return False
    if request.body:
        fields = {**FIELDS, FIELD_PREFIX[0]: FIELD_PREFIX[1]}
        request.prepare_body(_reworded(request.body, fields, VALUES), None)
    return True


def _translate_response(response):
    if 'json' in response.headers.get('Content-Type', ''):
        fields = {ours: theirs for theirs, ours in FIELDS.items()}
        fields[FIELD_PREFIX[1]] = FIELD_PREFIX[0]
        values = {ours: theirs for theirs, ours in VALUES.items()}
        response._content = _reworded(response.content, fields, values).encode()


def _reworded(text, fields, values):
    return json.dumps(_translate(json.loads(text), fields, values))


def _translate(value, fields, values):
    if isinstance(value, dict):
        return {_field(name, fields): _translate(inner, fields, values) for name, inner in value.items()}
    if isinstance(value, list):
        return [_translate(inner, fields, values) for inner in value]
    if isinstance(value, str):
        return values.get(value, value)
    return value


def _field(name, fields):
    prefix = name[:name.find(':') + 1]
    return fields.get(name) or fields.get(prefix, prefix) + name[len(prefix):]
